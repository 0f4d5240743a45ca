"""The commands beside `show`, a file each: `add(commands)` enters one into the parser."""
