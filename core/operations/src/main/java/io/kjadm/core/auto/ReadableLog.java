package io.kjadm.core.auto;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.store.ObjectStore;

/** What a person's command needs of the store before it does anything. */
public final class ReadableLog {

    private ReadableLog() {}

    /**
     * Reads what is new in a log.
     *
     * @param store that it is in
     * @throws ClusterException if it cannot be read, or is not safe to use
     */
    public static void require(AutoLog log, ObjectStore store) {
        StoreView view = log.refresh();
        if (view instanceof StoreView.NotSeeded) {
            throw notSeeded(store.location().toString());
        }
        require(view);
    }

    /** @throws ClusterException if the log cannot be read, or is not safe to use */
    public static void require(StoreView store) {
        switch (store) {
            case StoreView.Answers _ -> {}
            case StoreView.Silent(String why) ->
                throw new ClusterException(
                        "the store does not respond",
                        why,
                        "make it available, then run the command again");
            case StoreView.Unsafe(String why) ->
                throw new ClusterException(
                        "the log is not safe to use",
                        why,
                        "if a newer kjadm wrote it, use that one; else find out who changed the store");
            case StoreView.NotSeeded _ -> throw notSeeded("the store");
            case StoreView.OtherToken _ ->
                throw new ClusterException(
                        "the token belongs to another cluster than the store's",
                        "",
                        "copy the token file of a machine of this cluster");
        }
    }

    private static ClusterException notSeeded(String store) {
        return new ClusterException(
                "%s holds no cluster".formatted(store),
                "",
                "check its name, and that it is mounted; etcd runs on without it");
    }
}
