package io.kjadm.core.auto;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataDirBackup.Outcome;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.recover.DiskReader;
import io.kjadm.core.restore.DatabaseReader;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Progress;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.etcd.recover.LogEvidence;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Stops this machine's member for good, and the way back. Nothing is deleted: what makes a machine one
 * with a member is renamed, the service first, and what is remembered of the member last, so that a
 * run that is killed is continued.
 */
public final class MemberFence {

    private static final String AREA = "auto";

    private final AutoMemory memory;
    private final SystemdEtcd etcd;
    private final HostFiles files;
    private final Path told;
    private final Reporter out;

    /** @param dataDir of etcd, unless the member's is known to be another one */
    public MemberFence(AutoMemory memory, SystemdEtcd etcd, Path dataDir, Reporter out) {
        this.memory = memory;
        this.etcd = etcd;
        this.files = etcd.machine().files();
        this.told = dataDir;
        this.out = out;
    }

    /**
     * Stops it, and notes how far it was.
     *
     * @throws HostException if a process still uses the data, or they cannot be moved
     */
    public void fence(Step.Fence step) {
        Path dataDir = dataDir(step.generation());
        etcd.end();
        new DataInUse(files).by(dataDir).ifPresent(user -> {
            throw new HostException(
                    "etcd's data are in use although its service is stopped",
                    user,
                    "stop that process; this machine tries again");
        });
        // data that are in their place may have been put back, and written to since
        Fenced fenced = memory.fenced(step.generation())
                .filter(it -> !holdsData(dataDir)
                        && step.member().map(it.member()::equals).orElse(true))
                .orElseGet(() -> look(step, dataDir));
        memory.keepFenced(fenced);
        if (!fenced.data().isEmpty()) {
            memory.keepFenced(moved(fenced, dataDir));
        }
        String suffix = suffix(step.generation());
        settings().forEach(path -> moveAside(path, suffixed(path, suffix)));
        etcd.machine().services().reload().ifPresent(out::warn);
        out.step(
                AREA,
                "Stopped this machine's member of generation %d".formatted(step.generation()));
    }

    /**
     * Where the data are: the daemon may have been started without the flag that names the directory. A
     * run that was killed may have renamed the note of it.
     */
    private Path dataDir(int generation) {
        Path note = etcd.paths().diskNote();
        return noted(note)
                .or(() -> etcd.known()
                        ? Optional.of(etcd.state().dataDir())
                        : noted(suffixed(note, suffix(generation))))
                .orElse(told);
    }

    private Optional<Path> noted(Path note) {
        return new OwnDisk(files, note, null).note().map(DiskNote::directory);
    }

    private static Path member(Path dataDir) {
        return dataDir.resolve(KubernetesPaths.ETCD_MEMBER);
    }

    private boolean holdsData(Path dataDir) {
        return files.isDirectory(member(dataDir))
                && !files.list(member(dataDir)).isEmpty();
    }

    private Fenced look(Step.Fence step, Path dataDir) {
        Path member = member(dataDir);
        Optional<MemberId> id = step.member()
                .or(() -> new DataDirReader(files).idsIn(member).map(MemberIds::memberId));
        boolean data = holdsData(dataDir);
        Optional<Progress> progress = data ? progress(member) : Optional.empty();
        Set<MemberId> knows = data
                ? DatabaseReader.membersIn(files, member).stream()
                        .filter(Member::voter)
                        .map(Member::id)
                        .collect(Collectors.toSet())
                : Set.of();
        return new Fenced(
                step.generation(),
                id.orElse(MemberId.NONE),
                progress,
                knows,
                data
                        ? new DataDirBackup(files, dataDir)
                                .place("fenced", etcd.machine().waiter().now())
                                .toString()
                        : "");
    }

    private Optional<Progress> progress(Path member) {
        return new DatabaseReader(files).unused(member.resolve("snap/db"))
                                instanceof DatabaseEvidence.Whole database
                        && DiskReader.log(files, member, database.applied())
                                instanceof LogEvidence.Readable log
                ? Optional.of(new Progress(
                        database.applied(),
                        log.position().commit(),
                        log.position().lastTerm(),
                        log.position().lastIndex(),
                        log.gap().committed(),
                        database.revision()))
                : Optional.empty();
    }

    private Fenced moved(Fenced fenced, Path dataDir) {
        return switch (new DataDirBackup(files, dataDir).setAside(Path.of(fenced.data()))) {
            case Outcome.Moved(Path place) -> {
                out.step(AREA, "Moved etcd's data to " + place);
                yield new Fenced(
                        fenced.generation(),
                        fenced.member(),
                        fenced.progress(),
                        fenced.knows(),
                        place.toString());
            }
            case Outcome.None none ->
                throw new HostException(
                        "etcd's data are gone that were to be moved",
                        none.toString(),
                        "find out who has moved them, and move them to " + fenced.data());
            case Outcome.Stays stays ->
                throw new HostException(
                        "etcd's data cannot be moved",
                        stays.why(),
                        "make it possible to rename %s; this machine tries again"
                                .formatted(stays.data()));
        };
    }

    /**
     * Puts back what was moved, and starts the member.
     *
     * @throws HostException if there are other data in the place
     */
    public void unfence(Step.Unfence step) {
        Path dataDir = dataDir(step.generation());
        memory.fenced(step.generation())
                .map(Fenced::data)
                .filter(data -> !data.isEmpty())
                .ifPresent(data -> new DataDirBackup(files, dataDir).putBack(Path.of(data)));
        String suffix = suffix(step.generation());
        Path state = etcd.paths().stateDir();
        rename(suffixed(state, suffix), state);
        settings().forEach(path -> rename(suffixed(path, suffix), path));
        etcd.machine().services().reload().ifPresent(out::warn);
        etcd.enable();
        etcd.begin();
        memory.forgetFenced(step.generation());
        out.step(
                AREA,
                "Put back this machine's member of generation %d".formatted(step.generation()));
    }

    /** What is remembered of the member is the last one. */
    private List<Path> settings() {
        return List.of(
                etcd.paths().unit(),
                etcd.paths().environment(),
                etcd.paths().startCheckDropIn(),
                etcd.paths().diskNote(),
                etcd.record()
                        .map(MemberRecord::settings)
                        .map(settings -> settings.directories().certificates())
                        .orElse(etcd.paths().certificatesDir()),
                etcd.paths().stateDir());
    }

    private static String suffix(int generation) {
        return ".fenced-" + generation;
    }

    private static Path suffixed(Path path, String suffix) {
        return path.resolveSibling(path.getFileName() + suffix);
    }

    /**
     * What has the name gets another one: an earlier member of a generation of that number may have left
     * it, of this log or of one before; and after a kill the daemon writes the check of starts again.
     */
    private void moveAside(Path from, Path to) {
        if (files.exists(from)) {
            rename(
                    to,
                    IntStream.iterate(1, i -> i + 1)
                            .mapToObj(i -> suffixed(to, "." + i))
                            .filter(path -> !files.exists(path))
                            .findFirst()
                            .orElseThrow());
            files.rename(from, to);
        }
    }

    private void rename(Path from, Path to) {
        if (files.exists(from)) {
            files.rename(from, to);
        }
    }
}
