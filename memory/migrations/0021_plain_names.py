"""Names of models as the console shows them. The schema does not change."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0020_cutting'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='factjob',
            options={'verbose_name': 'task on facts', 'verbose_name_plural': 'tasks on facts'},
        ),
        migrations.AlterModelOptions(
            name='forgetbatch',
            options={'verbose_name': 'forget request'},
        ),
    ]
