package io.kjadm.store;

/** What tests of other modules run against. */
class MemoryStoreTest extends StoreContract {

    private final ObjectStore store = new MemoryStore();

    @Override
    ObjectStore store() {
        return store;
    }
}
