package io.kjadm.core.node;

import io.kjadm.core.feature.FeatureGate;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.host.Owner;
import io.kjadm.core.host.SystemAccounts;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.manifests.RunAsIds;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Users of this machine for the static pods of clusters with gate {@code RootlessControlPlane};
 * root for the others. All accounts are added at once, before the first manifest that needs one is
 * written. They stay when that fails later, and reset removes them.
 */
public final class RootlessUsers {

    private static final Await TURN = new Await(
            "rootless",
            "other programs to release the lock on the machine's accounts",
            Duration.ofSeconds(15),
            Duration.ofMillis(250),
            "find out which program holds %s, then run the command again"
                    .formatted(SystemAccounts.LOCK));

    private final HostFiles files;
    private final Waiter waiter;

    public RootlessUsers(HostFiles files, Waiter waiter) {
        this.files = files;
        this.waiter = waiter;
    }

    /**
     * Makes sure that the component's user exists and owns the component's files, which have to be
     * there. Repeating it is harmless.
     *
     * @return who the component runs as; empty for root
     */
    Optional<RunAsIds> prepare(ControlPlaneNode node, String component) {
        if (!isRootless(node)) {
            return Optional.empty();
        }
        RootlessUser user = RootlessUser.of(component);
        Accounts accounts = ensureAccounts();
        new RootlessFiles(files, node)
                .give(user, accounts.users().get(user), accounts.keyReaders());
        return Optional.of(accounts.idsOf(user));
    }

    /**
     * Who the component would run as, without any change: accounts that are missing count with the
     * numbers that they would get.
     *
     * @return empty for root
     */
    Optional<RunAsIds> foresee(ControlPlaneNode node, String component) {
        return isRootless(node)
                ? Optional.of(planned(SystemAccounts.read(files)).idsOf(RootlessUser.of(component)))
                : Optional.empty();
    }

    private static boolean isRootless(ControlPlaneNode node) {
        return node.cluster().featureGates().enabled(FeatureGate.ROOTLESS_CONTROL_PLANE);
    }

    private record Accounts(Map<RootlessUser, Owner> users, int keyReaders) {

        RunAsIds idsOf(RootlessUser user) {
            Owner owner = users.get(user);
            return new RunAsIds(
                    owner.uid(),
                    owner.gid(),
                    user.readsServiceAccountKey() ? List.of((long) keyReaders) : List.of());
        }
    }

    private Accounts ensureAccounts() {
        try (Claim _ = waiter.until(TURN, this::claim).orElseThrow(TURN::neededAnswer)) {
            SystemAccounts system = SystemAccounts.read(files);
            Accounts accounts = planned(system);
            system.save();
            return accounts;
        }
    }

    private static Accounts planned(SystemAccounts system) {
        Map<RootlessUser, Owner> users = new EnumMap<>(RootlessUser.class);
        for (RootlessUser user : RootlessUser.values()) {
            int gid = system.group(user.accountName(), Set.of());
            users.put(user, new Owner(system.user(user.accountName(), gid), gid));
        }
        return new Accounts(
                users, system.group(RootlessUser.KEY_READERS, RootlessUser.keyReaders()));
    }

    private Attempt<Claim> claim() {
        return files.claim(SystemAccounts.LOCK)
                .map(Attempt::done)
                .orElseGet(() -> Attempt.notYet(SystemAccounts.LOCK + " is held"));
    }
}
