"""Every shipped FMU in every importer that can be installed, compared with reference values.

``python -m tests.importers`` runs all of it and writes docs/fmu/importers.md. Each client is a
module of its own with one interface (`client.Client`), and runs in processes of its own, so that
one that crashes takes nothing else with it.
"""
