package io.kjadm.etcd.api;

import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;

/**
 * Takes snapshots and looks into them, without etcd's own tools and without a copy. A snapshot is
 * whole if its sum is right and every page of its tree is in order; memory is some 120 bytes a page.
 */
public final class Snapshots implements AutoCloseable {

    private final EtcdCluster cluster;

    /** @param cluster is closed with this */
    public Snapshots(EtcdCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Snapshots of a real cluster; the first one connects.
     *
     * @throws EtcdCallException if the certificates or the key cannot be used
     */
    public static Snapshots of(EtcdAccess access) {
        return new Snapshots(new JetcdConnector().connect(access));
    }

    /**
     * Passes on what a member holds now, in the form of {@code etcdctl snapshot save}, and says what
     * it is.
     *
     * @param clientUrl of the member, rather a follower's
     * @param into      gets every byte, and is left open; what came of a damaged snapshot is the
     *                  caller's to throw away
     * @throws EtcdCallException if the member does not send it, or not to the end
     * @throws IOException       if {@code into} does not take it
     */
    public Verdict save(URI clientUrl, OutputStream into) throws IOException {
        SnapshotVerifier verifier = new SnapshotVerifier(into);
        cluster.snapshot(clientUrl, verifier);
        verifier.flush();
        Verdict verdict = verifier.verdict();
        return verdict instanceof Verdict.Whole whole && !whole.summed()
                ? new Verdict.Damaged("it came without its sum")
                : verdict;
    }

    /**
     * Looks into a snapshot, or into the database of a member that does not run.
     *
     * @param from is read to its end, and left open
     */
    public static Verdict verify(InputStream from) throws IOException {
        SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
        from.transferTo(verifier);
        return verifier.verdict();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
