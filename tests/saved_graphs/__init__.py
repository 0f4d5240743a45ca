"""Small files that the real frameworks wrote, and the shapes that their runtimes computed."""
