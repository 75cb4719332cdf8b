"""What a fit keeps: kernels with their training rows, and the prediction."""
