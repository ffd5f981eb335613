"""The versions of the store's schema, in order; ``fleet.store`` brings a store to the newest."""
