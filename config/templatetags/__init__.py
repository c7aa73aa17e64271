"""Tags for the console's templates."""
