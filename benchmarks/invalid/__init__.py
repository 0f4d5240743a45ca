"""Calls with invalid arguments: does Cutaway raise where torch does, and only there?"""
