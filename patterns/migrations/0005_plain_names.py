"""Names of models as the console shows them. The schema does not change."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('patterns', '0004_publications'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='replyphrases',
            options={'verbose_name': 'reply phrases', 'verbose_name_plural': 'reply phrases'},
        ),
    ]
