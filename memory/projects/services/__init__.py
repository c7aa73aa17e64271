"""What changes a project. Each function is called inside a tenant scope and takes the project's lock."""
