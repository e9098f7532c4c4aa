package io.kjadm.core.auto;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.ProblemReason;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.store.StoreException;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * A machine takes the place of the one whose data disk it has: the root disk was replaced, or the data
 * disk was moved to another machine. It gets the ID of that machine, so the cluster has its member
 * again as soon as etcd is set up for the data. A person asks for it, as nothing on the disk shows that
 * the other machine is gone, or that no copy of the disk was made.
 */
public final class DiskAdoption {

    private final AutoLog log;
    private final AutoMemory memory;
    private final HostFiles files;
    private final OwnDisk disk;
    private final Path dataDir;

    /** Why a machine does not take the place. */
    public enum Refused implements ProblemReason {
        /** The directory does not hold the disk of a machine of the automatic mode. */
        NO_DISK,
        /** Its file system takes no writes. */
        READ_ONLY,
        /** This machine has a member. */
        HAS_MEMBER,
        /** No client has used the cluster, so nothing is lost without the data. */
        NOT_USED,
        /** The cluster is being restored: its members are stopped. */
        RESTORED,
        /** The data are of no member that the log lists. */
        NOT_LISTED,
        /** Other members reach the member at another address. */
        ADDRESS,
        /** The other machine reports. */
        REPORTS,
        /** Nothing shows how far the data were. */
        NO_REPORT,
        /** The data are older than they were. */
        OLDER;

        /** Whether it may pass: the data are of use then. */
        public boolean passes() {
            return this == RESTORED || this == REPORTS || this == READ_ONLY;
        }
    }

    /** Whose place this machine has now, and the member that it has. */
    public record Adopted(MachineId machine, MemberIds member) {}

    /** What is on the disk. */
    private record Found(DiskMarker marker, WalTail tail) {}

    /**
     * For the data in a directory.
     *
     * @param memory  of this machine, whose daemon does not run
     * @param dataDir of etcd
     */
    public DiskAdoption(
            AutoLog log, AutoMemory memory, HostFiles files, OwnDisk disk, Path dataDir) {
        this.log = log;
        this.memory = memory;
        this.files = files;
        this.disk = disk;
        this.dataDir = dataDir;
    }

    private String asNew() {
        return "move %s away: this machine is then a new one"
                .formatted(dataDir.resolve(KubernetesPaths.ETCD_MEMBER));
    }

    /**
     * Takes the place of the other machine; may be run again after it was killed.
     *
     * @param peerUrl where others reach an etcd of this machine
     * @throws HostException    for a reason of {@link Refused}; nothing was changed
     * @throws ClusterException if the store does not tell; nothing was changed either
     */
    public Adopted adopt(URI peerUrl) {
        Found found = found();
        MachineId machine = found.marker().machine();
        Optional<DiskNote> noted = disk.note();
        boolean other = noted.filter(note -> note.ids().isPresent()
                        && !note.disk().equals(found.marker().id()))
                .isPresent();
        if (other) {
            throw hasMember("it remembers another disk than " + found.marker().id());
        }
        if (noted.isPresent() && memory.machine().equals(Optional.of(machine))) {
            return new Adopted(machine, found.tail().ids());
        }
        ReadableLog.require(log.refresh());
        // what the machines have read by now must be in the log that is read after it
        Map<MachineId, Seen> reports = reports();
        Charter charter = charter(machine);
        requireMember(charter, found, peerUrl);
        MachineReport report = report(reports, machine, found.tail());
        // the note first: with the ID alone, nothing would show how far the data have to be
        disk.keep(new DiskNote(
                found.marker().uid(),
                DiskNote.ADOPTED,
                dataDir,
                found.marker().id(),
                DiskPlace.of(files, dataDir).place(),
                Optional.of(found.tail().ids()),
                Optional.empty(),
                report.member().floor()));
        memory.adopts(machine, report.life().run(), charter.generation());
        return new Adopted(machine, found.tail().ids());
    }

    private static HostException hasMember(String why) {
        return new HostException(
                Refused.HAS_MEMBER,
                "this machine has a member already",
                why,
                "see 'kjadm etcd auto status'");
    }

    private Found found() {
        Optional<DiskMarker> marker = DiskMarker.read(files, dataDir);
        String why;
        try {
            Optional<WalTail> tail = WalTail.read(files, dataDir);
            if (marker.isPresent() && tail.isPresent()) {
                requireWritable();
                return new Found(marker.get(), tail.get());
            }
            why = tail.isEmpty() ? "it has no write-ahead log" : "it does not say whose disk it is";
        } catch (DamagedException | IOException e) {
            why = e.getMessage();
        }
        throw new HostException(
                Refused.NO_DISK,
                "%s does not hold the disk of a machine of the automatic mode".formatted(dataDir),
                why,
                "mount the disk with the data of the member, or name its directory with --data-dir");
    }

    private void requireWritable() {
        if (DiskPlace.of(files, dataDir).readOnly()) {
            throw new HostException(
                    Refused.READ_ONLY,
                    "the file system of %s is read-only".formatted(dataDir),
                    "",
                    "mount it for writing");
        }
    }

    private Charter charter(MachineId other) {
        ReadableLog.require(log.refresh());
        Charter charter = log.charter();
        Optional<MachineId> own = memory.machine().filter(id -> !id.equals(other));
        boolean joins = charter.change()
                .filter(change -> own.filter(change.body().actor()::equals).isPresent())
                .isPresent();
        if (joins || own.flatMap(charter::seat).isPresent()) {
            throw hasMember("the log lists it");
        }
        boolean restored = charter.ending().isPresent();
        if (charter.phase() == Phase.NONE || charter.phase() == Phase.FORMING && !restored) {
            throw new HostException(
                    Refused.NOT_USED,
                    "no client has used the cluster yet",
                    "the data in %s are not needed".formatted(dataDir),
                    asNew());
        }
        // an open change is no reason to wait: it may need the quorum that this member makes up
        if (charter.phase() != Phase.OPEN) {
            throw new HostException(
                    Refused.RESTORED,
                    "the cluster is being restored",
                    "its members are stopped",
                    charter.phase() == Phase.ENDING
                            ? "to use these data, run 'kjadm etcd auto approve restore --none', then this command again; else wait until the restore has ended"
                            : "wait until the restore has ended, then run the command again");
        }
        return charter;
    }

    private void requireMember(Charter charter, Found found, URI peerUrl) {
        MemberIds ids = found.tail().ids();
        boolean same = found.marker().uid().equals(charter.seed().uid())
                && charter.cluster().filter(ids.clusterId()::equals).isPresent();
        Seat seat = charter.seat(found.marker().machine())
                .filter(it -> same && it.id().equals(ids.memberId()))
                .orElseThrow(() -> new HostException(
                        Refused.NOT_LISTED,
                        "the data in %s are of no member of the cluster".formatted(dataDir),
                        same
                                ? "the log lists no member %s of machine %s any more"
                                        .formatted(
                                                ids.memberId(), found.marker().machine())
                                : "they are of cluster %s, and the log is of cluster %s"
                                        .formatted(
                                                ids.clusterId(),
                                                charter.cluster().orElse("")),
                        asNew()));
        if (!seat.peerUrls().contains(peerUrl)) {
            throw new HostException(
                    Refused.ADDRESS,
                    "this machine has another address than member %s".formatted(seat.name()),
                    "other members reach it at %s, and this machine would be at %s"
                            .formatted(seat.peerUrls(), peerUrl),
                    "use an address of the member (--bind-address); if this machine cannot have it, %s"
                            .formatted(asNew()));
        }
    }

    private Map<MachineId, Seen> reports() {
        try {
            log.reports().learnTime();
        } catch (StoreException e) {
            throw unreadable(e.getMessage());
        }
        Map<MachineId, Seen> reports = log.reports().read();
        if (!log.reports().responds()) {
            throw unreadable("the store does not respond");
        }
        return reports;
    }

    private static ClusterException unreadable(String why) {
        return new ClusterException(
                "the reports of the machines cannot be read",
                why,
                "make the store available, then run the command again");
    }

    /** What the other machine has reported last: how far the data have to be. */
    private MachineReport report(Map<MachineId, Seen> reports, MachineId machine, WalTail tail) {
        Optional<Seen> seen = Optional.ofNullable(reports.get(machine));
        if (seen.filter(Seen::reports).isPresent()) {
            throw new HostException(
                    Refused.REPORTS,
                    "machine %s reports".formatted(machine),
                    "its last report is %d s old".formatted(seen.get().age().toSeconds()),
                    "turn that machine off, and run the command again after three minutes");
        }
        MachineReport report = seen.map(Seen::report)
                .filter(it -> it.member().id().equals(Optional.of(tail.ids().memberId())))
                .orElseThrow(() -> new HostException(
                        Refused.NO_REPORT,
                        "nothing shows how far the data of machine %s were".formatted(machine),
                        "the store has no report of it about member %s"
                                .formatted(tail.ids().memberId()),
                        asNew()));
        Floor floor = report.member().floor();
        if (floor.above(tail.term(), tail.index())) {
            throw new HostException(
                    Refused.OLDER,
                    "the data in %s are older than they were".formatted(dataDir),
                    "the log ends with entry %d of term %d, and had entry %d of term %d"
                            .formatted(tail.index(), tail.term(), floor.index(), floor.term()),
                    "mount the newest copy, or " + asNew());
        }
        return report;
    }
}
