from django.apps import AppConfig


class TenantsConfig(AppConfig):
    name = "memory.tenants"
    label = "tenants"
    verbose_name = "Tenants and access"
