"""Parameters and multiply-accumulates against the figures that torchvision publishes, and against other tools."""
