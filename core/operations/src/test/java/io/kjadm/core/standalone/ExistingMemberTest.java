package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.PreflightException;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A machine that kept the data of its member sets etcd up for them, and for nothing else. */
class ExistingMemberTest {

    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final MemberId OWN = new MemberId(0x16a1);
    private static final MemberId OTHER = new MemberId(0x22);
    private static final MemberIds IDS = new MemberIds("a655067d30f39934", OWN);
    private static final URI PEER = URI.create("https://10.0.0.11:2380");

    /** With {@code --version}. */
    private static final EtcdRunOptions CHOSEN = new EtcdRunOptions(
            EtcdRunOptions.RELEASES,
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            true);

    private final MemoryFiles files = new MemoryFiles();
    private final ExistingMember existing = new ExistingMember(
            files,
            new MemberSettings(
                    "etcd1",
                    new EtcdVersion(3, 6, 14),
                    InetAddress.ofLiteral("10.0.0.11"),
                    new Directories(DATA, Path.of("/etc/etcd/pki"), Path.of("/opt/bin")),
                    List.of(),
                    List.of()));

    private void data(MemberIds ids) {
        files.with(
                DATA + "/member/wal/0000000000000000-0000000000000000.wal",
                WalText.of(ids.memberId().value(), Long.parseUnsignedLong(ids.clusterId(), 16)));
    }

    private static Member member(MemberId id, URI peerUrl) {
        return new Member(id, "etcd", List.of(peerUrl), List.of(), false);
    }

    /** Other members answer, and one of the list may be ours, which does not. */
    private static EtcdHealth health(Member own, boolean answers) {
        Member other = member(OTHER, URI.create("https://10.0.0.12:2380"));
        Map<MemberId, MemberStatus> statuses = new HashMap<>(Map.of(OTHER, status(OTHER)));
        if (answers) {
            statuses.put(own.id(), status(own.id()));
        }
        return new EtcdHealth(
                List.of(other, own), statuses, answers ? Map.of() : Map.of(own.id(), "refused"));
    }

    private static MemberStatus status(MemberId id) {
        return status(id, new EtcdVersion(3, 6, 14));
    }

    private static MemberStatus status(MemberId id, EtcdVersion version) {
        return new MemberStatus(
                new MemberIds(IDS.clusterId(), id),
                OTHER,
                MemberStatus.Versions.of(version),
                new MemberStatus.Database(0, OptionalLong.empty(), OptionalLong.empty()),
                new MemberStatus.Raft(1, 9, 9),
                false,
                List.of());
    }

    private void require(EtcdHealth health, boolean resumes) {
        require(health, resumes, CHOSEN);
    }

    private void require(EtcdHealth health, boolean resumes, EtcdRunOptions options) {
        existing.require(Optional.of(health), resumes, options, new SilentReporter());
    }

    private void refused(EtcdHealth health) {
        refused("ExistingMember", health, CHOSEN);
    }

    private void refused(String check, EtcdHealth health, EtcdRunOptions options) {
        PreflightException refused =
                assertThrows(PreflightException.class, () -> require(health, false, options));
        assertEquals(
                List.of(check),
                refused.checks().stream().map(failed -> failed.name()).toList());
    }

    @Test
    void aMemberThatTheClusterHasAtThisAddressIsSetUp() {
        data(IDS);
        assertEquals(IDS, existing.ids());
        assertDoesNotThrow(() -> require(health(member(OWN, PEER), false), false));
    }

    /** All machines may have been installed again: the quorum waits for this one. */
    @Test
    void whereNoMemberRespondsItIsStarted() {
        data(IDS);
        assertDoesNotThrow(
                () -> existing.require(Optional.empty(), false, CHOSEN, new SilentReporter()));
    }

    @Test
    void aMemberThatWasRemovedIsNot() {
        data(IDS);
        refused(health(member(new MemberId(0x77), PEER), false));
    }

    @Test
    void dataOfAnotherClusterAreRefused() {
        data(new MemberIds("beef", OWN));
        refused(health(member(OWN, PEER), false));
    }

    @Test
    void anotherAddressIsRefused() {
        data(IDS);
        refused(health(member(OWN, URI.create("https://10.0.0.19:2380")), false));
    }

    /** With two copies of one log raft could elect two leaders. */
    @Test
    void aMemberThatRespondsRunsElsewhere() {
        data(IDS);
        refused(health(member(OWN, PEER), true));
        assertDoesNotThrow(
                () -> require(health(member(OWN, PEER), true), true),
                "an earlier run has started it");
    }

    /** As any join; and etcd reads no data of a later version, nor of one long before. */
    @Test
    void aVersionThatWouldBeginAnUpgradeIsRefused() {
        data(IDS);
        Member own = member(OWN, PEER);
        Member other = member(OTHER, URI.create("https://10.0.0.12:2380"));
        EtcdHealth older = new EtcdHealth(
                List.of(other, own),
                Map.of(OTHER, status(OTHER, new EtcdVersion(3, 5, 30))),
                Map.of(OWN, "refused"));
        refused("EtcdVersion", older, PlainOptions.NONE);
        assertDoesNotThrow(() -> require(older, false));
        for (EtcdVersion far : List.of(new EtcdVersion(3, 4, 40), new EtcdVersion(3, 7, 1))) {
            refused(
                    "EtcdVersion",
                    new EtcdHealth(
                            List.of(other, own),
                            Map.of(OTHER, status(OTHER, far)),
                            Map.of(OWN, "refused")),
                    CHOSEN);
        }
    }

    @Test
    void withoutDataThereIsNothingToSetUp() {
        assertThrows(HostException.class, existing::ids);
        assertEquals(1, ExistingMember.check(DATA, files).run().size());
        files.with(DATA + "/member/snap/db", "");
        assertEquals(1, ExistingMember.check(DATA, files).run().size(), "it has no log");
        data(IDS);
        assertEquals(List.of(), ExistingMember.check(DATA, files).run());
    }
}
