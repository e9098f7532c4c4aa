package io.kjadm.core.etcd.version;

import io.kjadm.core.lock.MembershipLock;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.upgrade.EtcdFlags;
import io.kjadm.manifests.NameAndUrl;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An etcd whose version is changed for its own sake, as it is set up on this machine. */
public interface EtcdInstallation extends EtcdServer {

    /** To what {@link #connect} asks. */
    EtcdAccess access();

    /** Keeps other machines from changing etcd meanwhile. */
    MembershipLock lock();

    /** Where a snapshot is kept that belongs to no exchange. */
    Path snapshotDir();

    /** The version that what is set up here is for. */
    EtcdVersion version();

    /** What the members get, in a few words: an image, or a release. */
    String release(EtcdOrder order);

    /**
     * Whether there is nothing to exchange.
     *
     * @param running what the member tells, if it answers
     */
    boolean has(EtcdOrder order, Optional<EtcdVersion> running);

    /** The flags of the other version. */
    EtcdFlags flags(EtcdVersion target);

    /**
     * What it is to be run by.
     *
     * @param members all of them, so that one that loses its data never founds a cluster of its own
     */
    String text(EtcdOrder order, List<NameAndUrl> members);

    /**
     * Gets what it is exchanged for onto this machine, where nobody uses it yet.
     *
     * @throws io.kjadm.core.error.KjadmException if it cannot be had, or used here
     */
    void fetch(EtcdOrder order);

    /** Begins a change, or goes on with one. */
    NodeChanges begin(EtcdVersion target);

    /**
     * Refuses while something else is under way that would change the same.
     *
     * @throws io.kjadm.core.error.HostException if there is
     */
    void requireNoOtherChange();

    /** Waits for what lives on this machine's etcd. */
    void awaitUsers();

    /** Notes the version for machines to come, once the last member has it. */
    void store(EtcdOrder order);
}
