package io.kjadm.core.node;

import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.SchedulerPod;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The users of the static pods under gate {@code RootlessControlPlane}, each with a group of the
 * same name.
 */
public enum RootlessUser {
    ETCD("kubeadm-etcd", EtcdPod.NAME, false),
    API_SERVER("kubeadm-kas", ApiServerPod.NAME, true),
    CONTROLLER_MANAGER("kubeadm-kcm", ControllerManagerPod.NAME, true),
    SCHEDULER("kubeadm-ks", SchedulerPod.NAME, false);

    /** The group that may read the key that service accounts' tokens are signed with. */
    public static final String KEY_READERS = "kubeadm-sa-key-readers";

    private final String accountName;
    private final String component;
    private final boolean keyReader;

    RootlessUser(String accountName, String component, boolean keyReader) {
        this.accountName = accountName;
        this.component = component;
        this.keyReader = keyReader;
    }

    /** Name of the user and of its group. */
    public String accountName() {
        return accountName;
    }

    /** Whether it belongs to {@link #KEY_READERS}. */
    public boolean readsServiceAccountKey() {
        return keyReader;
    }

    /** The user that a component runs as. */
    public static RootlessUser of(String component) {
        return Arrays.stream(values())
                .filter(user -> user.component.equals(component))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no user for " + component));
    }

    /** The members of {@link #KEY_READERS}. */
    public static Set<String> keyReaders() {
        return Arrays.stream(values())
                .filter(RootlessUser::readsServiceAccountKey)
                .map(RootlessUser::accountName)
                .collect(Collectors.toSet());
    }
}
