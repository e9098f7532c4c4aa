package io.kjadm.core.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.MachineReport.Floor;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * What this machine remembers of the disk of its member.
 *
 * @param uid       of the cluster file
 * @param begun     by which entry of the log the member was begun
 * @param directory of etcd's data
 * @param disk      ID of the disk
 * @param ids       of the member, once etcd has told them
 * @param previous  the member that had the disk before; its data are given up
 * @param floor     of the data
 */
record DiskNote(
        String uid,
        String begun,
        Path directory,
        String disk,
        DiskPlace place,
        Optional<MemberIds> ids,
        Optional<MemberId> previous,
        Floor floor) {

    /** That of a machine which has taken the place of another one: no entry has begun it. */
    static final String ADOPTED = "adopted";

    DiskNote {
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(begun, "begun");
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(disk, "disk");
        Objects.requireNonNull(place, "place");
        Objects.requireNonNull(ids, "ids");
        Objects.requireNonNull(previous, "previous");
        Objects.requireNonNull(floor, "floor");
    }

    DiskNote with(MemberIds now) {
        return new DiskNote(
                uid, begun, directory, disk, place, Optional.of(now), Optional.empty(), floor);
    }

    DiskNote with(Floor now) {
        return new DiskNote(uid, begun, directory, disk, place, ids, previous, now);
    }

    DiskNote on(String otherDisk, DiskPlace otherPlace) {
        return new DiskNote(uid, begun, directory, otherDisk, otherPlace, ids, previous, floor);
    }
}
