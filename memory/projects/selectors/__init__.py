"""What a project answers: reads only, inside a tenant scope, always starting with the project."""
