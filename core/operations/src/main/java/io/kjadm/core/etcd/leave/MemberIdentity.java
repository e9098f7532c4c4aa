package io.kjadm.core.etcd.leave;

import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalIdentity;

import java.util.Optional;

/**
 * Who this node's member is, by what cannot be another machine's: the write-ahead log in its data
 * directory or set aside by a restore, and the etcd that answers on its loopback interface. Journals come after these, and an
 * address is no proof at all.
 *
 * @param running what the etcd on this machine says of itself
 * @param data    whose data is on its disk
 */
public record MemberIdentity(
        OwnMember own, Optional<MemberStatus> running, Optional<WalIdentity> data) {

    /** Asks this machine's etcd; nobody else. */
    static MemberIdentity find(
            EtcdCluster cluster, LocalEtcdState etcd, OwnData disk, Optional<ResetEntry> journal) {
        Optional<MemberStatus> running = etcd.ownStatus(cluster);
        Optional<WalIdentity> data = disk.inPlace() instanceof DataDirectory.Held held
                ? Optional.of(held.identity())
                : Optional.empty();
        Optional<MemberId> id = running.map(MemberStatus::memberId)
                .or(disk::setAside)
                .or(() -> data.map(WalIdentity::memberId))
                .or(() -> journal.flatMap(ResetEntry::memberId))
                .or(etcd::noted);
        return new MemberIdentity(new OwnMember(id, etcd.name(), etcd.peerUrls()), running, data);
    }

    /** Why the two witnesses do not speak of one member; nothing, if they do. */
    Optional<String> contradiction() {
        return running.flatMap(status -> data.filter(
                        log -> !log.memberId().equals(status.memberId()))
                .map(log ->
                        "the etcd that answers is member %s, the data on the disk is of member %s"
                                .formatted(status.memberId(), log.memberId())));
    }
}
