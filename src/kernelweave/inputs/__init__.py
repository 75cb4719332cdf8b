"""From what a user passes to rows that kernels take, one kind of input a file."""
