package io.kjadm.core.auto;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.MachineId;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A disk with the data of another machine's member, on a machine that remembers no member: it may take
 * the place of the other machine.
 *
 * @param directory of etcd's data
 * @param machine   this one
 * @param note      what it remembers of a disk
 */
record ForeignDisk(HostFiles files, Path directory, MachineId machine, Optional<DiskNote> note) {

    private static final String ADOPT = "kjadm etcd auto accept-disk --adopt";

    /**
     * Why the data are not this machine's; empty if there are none of another one.
     *
     * @param alone whether nothing but the data shows that a member was set up here
     */
    Optional<Data> look(Charter charter, boolean alone) {
        Optional<DiskMarker> marker;
        try {
            marker = DiskMarker.read(files, directory)
                    .filter(it -> !it.machine().equals(machine)
                            && note.filter(own -> isMembers(own, it)).isEmpty()
                            && WalTail.isIn(files, directory));
        } catch (HostException e) {
            return Optional.of(OwnData.unreadable(directory, e));
        }
        if (marker.isEmpty()) {
            return Optional.empty();
        }
        DiskMarker found = marker.get();
        boolean same = found.uid().equals(charter.seed().uid());
        // the disk may have been marked by the automatic mode of another cluster file
        boolean listed = same
                && charter.seat(found.machine())
                        .filter(seat -> holds(seat.id()))
                        .isPresent();
        if (!alone && !listed) {
            return Optional.empty();
        }
        String why =
                "%s holds disk %s of machine %s".formatted(directory, found.id(), found.machine());
        return Optional.of(
                same
                        ? new Data.OtherDisk(
                                why,
                                "if this machine takes the place of that one, stop kjadm-etcd-auto and run '%s'; else move %s away"
                                        .formatted(ADOPT, member()))
                        : new Data.OtherDisk(
                                why + " of another cluster",
                                "mount the disk of this machine, or move %s away"
                                        .formatted(member())));
    }

    /** Whether a person has moved the data away instead of finishing an adoption of them. */
    boolean isGivenUp() {
        return note.filter(own -> own.begun().equals(DiskNote.ADOPTED)).isPresent()
                && !WalTail.isIn(files, directory)
                && DiskMarker.read(files, directory)
                        .filter(it -> !it.machine().equals(machine))
                        .isPresent();
    }

    /** Whether this machine remembers a member on a disk other than the one that is mounted. */
    private static boolean isMembers(DiskNote note, DiskMarker mounted) {
        return note.ids().isPresent() && !note.disk().equals(mounted.id());
    }

    private boolean holds(MemberId member) {
        return new DataDirReader(files)
                .idsIn(member())
                .map(MemberIds::memberId)
                .filter(member::equals)
                .isPresent();
    }

    private Path member() {
        return directory.resolve(KubernetesPaths.ETCD_MEMBER);
    }
}
