package io.kjadm.core.join;

import static io.kjadm.core.join.JoinLab.DATA;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.etcd.check.PeerCalls;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.join.HostMember;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.ControlPlanePods;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.node.PatchDirectory;
import io.kjadm.core.node.RootlessUsers;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.LocalDataDir;
import io.kjadm.etcd.join.LocalMemberHealth;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a node sees and does of its own etcd member. */
class HostMemberTest {

    private static final Member VOTER = new Member(
            new MemberId(0xa1),
            "cp-1",
            List.of(URI.create("https://cp-1:2380")),
            List.of(URI.create("https://cp-1:2379")),
            false);

    private final JoinLab lab = new JoinLab();
    private final MemoryFiles files = lab.files;
    private final MemoryRuntime runtime = lab.runtime;
    private final ControlPlaneNode node =
            lab.phases(lab.start(), "control-plane-prepare").node();
    private String answer = "";

    HostMemberTest() {
        // containers are the test's
        lab.kubeletWorks = false;
    }

    private HostMember member(boolean learner) {
        Machine machine =
                new Machine(files, lab.runner, runtime, url -> answer, lab.waiter, lab.waiter);
        LocalEtcd etcd = (LocalEtcd) node.cluster().etcd();
        ManifestStore manifests = new ManifestStore(
                files,
                new ControlPlanePods(files, Map.of()),
                new RootlessUsers(files, lab.waiter),
                new PatchDirectory(files, lab.out),
                lab.out);
        return new HostMember(
                machine,
                new JoiningNode(
                        node.paths().certificatesDir(), node.endpoint().address(), etcd.dataDir()),
                new MemberPod(node, etcd, machine, manifests, null, learner, lab.out),
                new PeerCalls((url, source, credentials) -> lab.probes.contact, files, lab.waiter),
                lab.out);
    }

    private void container(String id) {
        runtime.containers.put(
                id,
                new Container(
                        id,
                        "s",
                        "etcd",
                        0,
                        true,
                        lab.waiter.now(),
                        Map.of("io.kubernetes.pod.namespace", "kube-system")));
    }

    private void ended(String id, String log) {
        Container running = runtime.containers.get(id);
        runtime.containers.put(
                id,
                new Container(id, "s", "etcd", 0, false, running.createdAt(), running.labels()));
        files.with("/var/log/pods/" + id + ".log", log);
        runtime.exits.put(
                id,
                new Exit(
                        Optional.of(lab.waiter.now()),
                        1,
                        "Error",
                        "",
                        "/var/log/pods/" + id + ".log"));
    }

    private void passes(Duration time) {
        lab.waiter.pause("etcd", "a while", time);
    }

    private void manifest() {
        Member own = new Member(new MemberId(0xb2), "", List.of(JoinLab.PEER), List.of(), true);
        member(true).writeManifest(List.of(VOTER, own), own);
    }

    @Test
    void dataThatIsThereBeforeAnythingStartsIsReadOnce() {
        files.with(DATA.resolve("member/wal/0.wal").toString(), WalText.of(0xb2, 0xc3));
        HostMember member = member(true);
        LocalDataDir found = member.localDataDir();
        assertEquals(Optional.of(new MemberId(0xb2)), found.dataOf());
        assertEquals(Optional.of("c3"), found.clusterId());
        files.with(DATA.resolve("member/wal/0.wal").toString(), "damaged");
        assertEquals(found, member.localDataDir());
        files.deleteContents(DATA);
        assertEquals(LocalDataDir.NONE, member.localDataDir());
    }

    @Test
    void dataThatComesLaterIsOfWhatWasStartedHere() {
        HostMember member = member(true);
        assertEquals(LocalDataDir.NONE, member.localDataDir());
        files.with(DATA.resolve("member/wal/0.wal").toString(), WalText.of(0xb2, 0xc3));
        assertEquals(LocalDataDir.SOME_DATA, member.localDataDir());
    }

    @Test
    void anEmptyDirectoryIsNoDataAndAFileIsSome() {
        files.withDirectory(DATA.resolve("member").toString());
        assertEquals(LocalDataDir.NONE, member(true).localDataDir());
        files.delete(DATA.resolve("member"));
        files.with(DATA.resolve("member").toString(), "what is this?");
        assertEquals(LocalDataDir.SOME_DATA, member(true).localDataDir());
    }

    @Test
    void withoutAManifestThereIsNoLife() {
        files.with(DATA.resolve("member/wal/0.wal").toString(), "of another time");
        assertEquals(LocalMemberHealth.NONE, member(true).memberHealth());
        manifest();
        assertTrue(member(true).memberHealth().alive());
        assertEquals("of another time".length(), member(true).memberHealth().dataBytes());
        assertEquals(0, member(true).memberHealth().databaseBytes());
    }

    @Test
    void aMemberThatFollowsAndServesNobodyIsStartedAgainIfItHasNoVote() {
        manifest();
        container("c");
        for (boolean learner : new boolean[] {false, true}) {
            HostMember member = member(learner);
            member.memberHealth();
            passes(Duration.ofSeconds(2));
            member.help(false);
            assertEquals(!learner, runtime.containers.get("c").running());
        }
    }

    @Test
    void theEndOfAContainerThatWasAskedToEndSaysNothing() {
        manifest();
        container("c");
        HostMember member = member(true);
        member.memberHealth();
        passes(Duration.ofSeconds(2));
        member.help(false);
        ended(
                "c",
                "2026-02-03T04:05:07Z stderr F {\"level\":\"fatal\",\"msg\":\"cannot save\","
                        + "\"error\":\"no space left on device\"}\n");
        answer = "connection refused";
        passes(Duration.ofSeconds(1));
        assertEquals(Optional.empty(), member.memberHealth().problem());
    }

    @Test
    void containersFromBeforeTheManifestAreAnotherMembers() {
        container("old");
        passes(Duration.ofSeconds(1));
        HostMember member = member(true);
        Member own = new Member(new MemberId(0xb2), "", List.of(JoinLab.PEER), List.of(), true);
        member.writeManifest(List.of(VOTER, own), own);
        ended(
                "old",
                "2026-02-03T04:05:07Z stderr F {\"level\":\"fatal\",\"msg\":\"cannot save\","
                        + "\"error\":\"no space left on device\"}\n");
        answer = "connection refused";
        passes(Duration.ofSeconds(1));
        assertEquals(Optional.empty(), member.memberHealth().problem());
    }

    @Test
    void whoListensIsAskedOfItsPeerPort() {
        assertTrue(member(true).listens(VOTER));
        lab.probes.contact = new PeerContact.Unreachable("Connection refused");
        assertFalse(member(true).listens(VOTER));
    }

    @Test
    void itsOwnWordCountsForReady() {
        assertEquals("", member(true).notReadyReason());
        answer = "HTTP 503";
        assertEquals("HTTP 503", member(true).notReadyReason());
    }
}
