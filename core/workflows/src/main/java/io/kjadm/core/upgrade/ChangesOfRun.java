package io.kjadm.core.upgrade;

import io.kjadm.core.etcd.version.ForeignChange;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.phase.Reporter;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** The changes of one run to its node, noted from the first phase on that makes one. */
public final class ChangesOfRun {

    private final HostFiles files;
    private final KubernetesPaths paths;
    private final Fuse fuse;
    private final NodeChanges.Place place;
    private final String from;
    private final String to;
    private final Instant now;
    private final Reporter out;
    private Optional<NodeChanges> begun = Optional.empty();

    /**
     * @param from version that runs now
     * @param to   version that is wanted
     * @param fuse a fault on purpose, or none
     */
    ChangesOfRun(
            HostFiles files,
            KubernetesPaths paths,
            String from,
            String to,
            Instant now,
            Fuse fuse,
            Reporter out) {
        this.files = files;
        this.paths = paths;
        this.fuse = fuse;
        this.place = NodeChanges.Place.of(paths, Operation.UPGRADE, fuse);
        this.from = from;
        this.to = to;
        this.now = now;
        this.out = out;
    }

    /** Begins to note them, or goes on with those of a run that did not end. */
    NodeChanges begin() {
        if (begun.isEmpty()) {
            begun = Optional.of(NodeChanges.begin(files, place, from, to, now));
            begun.flatMap(NodeChanges::overtaken)
                    .ifPresent(change -> out.warn(change.problem().toString()));
            begun.flatMap(NodeChanges::followed)
                    .ifPresent(kept -> out.step(
                            "upgrade",
                            "An earlier upgrade lacked nothing but its end: a roll-back leads to the files that are here now; the files before it are kept in "
                                    + kept));
        }
        return begun.get();
    }

    /** A run before this one that did not end and is resumed, if there is one. */
    public Optional<NodeChanges.Unfinished> unfinished() {
        return NodeChanges.unfinished(files, place, to);
    }

    /** Why a run before this one that did not end is not resumed, if there is one. */
    Optional<ForeignChange> overtaken() {
        return NodeChanges.overtaken(files, place);
    }

    /**
     * A change of the version of this node's etcd that did not end, by {@code etcd upgrade} or
     * before an upgrade; nothing is changed by asking.
     */
    Optional<NodeChanges.Unfinished> unfinishedEtcd() {
        return NodeChanges.unfinishedIfOwn(
                files, NodeChanges.Place.of(paths, Operation.ETCD_VERSION, fuse));
    }

    /** A fault on purpose, or none. */
    Fuse fuse() {
        return fuse;
    }

    /**
     * The run has ended well; where the former files are kept, if any was changed. One that has left
     * out the control plane does not end what an earlier run has begun there.
     */
    public Optional<Path> end(Instant at) {
        if (begun.filter(NodeChanges::unsettled).isPresent()) {
            out.warn(
                    "the upgrade of this node's control plane from %s was interrupted and is not finished: run the upgrade again with phase control-plane"
                            .formatted(begun.get().from()));
            return Optional.empty();
        }
        return begun.flatMap(changes -> changes.end(at));
    }
}
