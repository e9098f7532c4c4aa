package io.kjadm.core.reset;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.etcd.leave.ResetEntry;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.staticpod.ManifestStash;
import io.kjadm.core.staticpod.StaticPodShutdown;
import io.kjadm.etcd.Problem;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.SchedulerPod;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Stops this node's control plane, what uses etcd first and etcd last, and moves etcd's data out of
 * the way.
 */
record EtcdShutdown(
        HostFiles files,
        ManifestStash aside,
        ResetJournal journal,
        StaticPodShutdown pods,
        Reporter out) {

    private static final String AREA = "reset";
    /** What uses this node's etcd; it must not serve answers from a member that leaves. */
    private static final List<String> CLIENTS =
            List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME);

    /** Takes out what uses etcd, to be put back by {@link #putBack}. */
    void takeClientsOut(ResetRun run) {
        CLIENTS.forEach(aside::takeOut);
        pods.awaitKubelet(run.criSocket(), CLIENTS);
    }

    /**
     * The reset does not go on: the node shall be as it was, without a trace of the attempt.
     *
     * @return whether it is; not if a forced run has begun to move the data, as etcd must not start
     *         without it
     */
    boolean putBack() {
        if (journal.entry().flatMap(ResetEntry::data).isPresent()) {
            return false;
        }
        CLIENTS.forEach(aside::putBack);
        aside.putBack(EtcdPod.NAME);
        aside.discard();
        return true;
    }

    /**
     * Goes on from the state that the journal tells until nothing of etcd is left, once its member
     * has left.
     */
    EtcdOutcome finish(ResetRun run) {
        if (journal.entry()
                .filter(entry -> entry.state() == ResetState.CLEANING)
                .isPresent()) {
            return new EtcdOutcome.Gone();
        }
        Optional<String> running = stop(run);
        if (running.isPresent()) {
            return new EtcdOutcome.Kept(new Problem(
                    "etcd's data in %s is kept".formatted(run.etcd().dataDir()),
                    "etcd may still be running: " + running.get(),
                    "check that no etcd runs on this node, then reset again"));
        }
        Path place = place(run, "removed");
        journal.enter(ResetState.STOPPED, place);
        moveAside(run.etcd().dataDir(), place);
        new JournalFile(files, run.paths().tmpDir()).clear();
        journal.enter(ResetState.CLEANING);
        return new EtcdOutcome.Gone();
    }

    private Optional<String> stop(ResetRun run) {
        CLIENTS.forEach(aside::takeOut);
        aside.takeOut(EtcdPod.NAME);
        pods.awaitKubelet(run.criSocket(), List.of(EtcdPod.NAME));
        return pods.stopForGood(run.criSocket())
                .or(() -> new DataInUse(files).by(run.etcd().dataDir()));
    }

    private Path place(ResetRun run, String why) {
        return journal.place(new DataDirBackup(files, run.etcd().dataDir()), why);
    }

    /** Nothing is deleted: it may be the last copy of somebody's cluster. */
    private void moveAside(Path dataDir, Path place) {
        switch (new DataDirBackup(files, dataDir).setAside(place)) {
            case DataDirBackup.Outcome.Moved(Path now) -> {
                own(now);
                out.step(
                        AREA,
                        ("etcd's data was moved to %s. It holds every Secret of the cluster:"
                                        + " delete it when it is no longer needed")
                                .formatted(now));
            }
            case DataDirBackup.Outcome.None none -> {}
            case DataDirBackup.Outcome.Stays(Path data, String why) ->
                throw new HostException(
                        "etcd's data in %s cannot be moved aside".formatted(data),
                        why,
                        "move it away yourself, then run the reset again");
        }
    }

    /** The account that etcd ran as may go, and its number may become somebody else's. */
    private void own(Path place) {
        if (isLink(place)) {
            out.warn("%s is a symbolic link; what it points to keeps its owner".formatted(place));
            return;
        }
        try {
            files.ownTree(place, Owner.ROOT);
        } catch (HostException e) {
            out.warn("%s was not given to root: %s".formatted(place, e.getMessage()));
        }
    }

    private boolean isLink(Path place) {
        Path parent = files.realPath(place.getParent()).orElse(place.getParent());
        return !files.realPath(place).equals(Optional.of(parent.resolve(place.getFileName())));
    }

    /**
     * Stops etcd although its member may still be listed, and keeps its data. The state is none of
     * those behind the removal, so that the next run asks again.
     *
     * @return where the data is
     */
    String keep(ResetRun run) {
        Path place = place(run, "kept");
        journal.enter(ResetState.RETIRING, place);
        Optional<String> running = stop(run);
        running.ifPresent(why -> out.warn("etcd may still be running: " + why));
        String kept = running.isPresent()
                ? "its data is kept in %s".formatted(run.etcd().dataDir())
                : new DataDirBackup(files, run.etcd().dataDir()).setAside(place).toString();
        out.warn("the etcd member may still be listed: " + kept);
        return kept;
    }
}
