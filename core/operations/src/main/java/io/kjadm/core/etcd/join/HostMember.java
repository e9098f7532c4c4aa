package io.kjadm.core.etcd.join;

import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.etcd.check.MemberData;
import io.kjadm.core.etcd.check.PeerCalls;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.LocalDataDir;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.LocalMemberHealth;
import io.kjadm.etcd.join.StartProblem;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** This machine's side of its etcd member: its process, whatever runs it, and its data. */
public final class HostMember implements LocalMember {

    /** What runs the member: the kubelet, or systemd. */
    public interface Runtime {

        /** Where the member serves its metrics, without credentials. */
        URI metrics();

        /** Whether the member was set up to run. */
        boolean configured();

        /** What would keep it from starting. */
        Optional<StartProblem> startProblem();

        /** Sets it up with these members as its initial cluster, and starts it; may be repeated. */
        void start(List<Member> members, Member own);

        /** Why it does not come up, if that is known. */
        Optional<StartProblem> cause();

        /** Whether it may be restarted while it joins: a learner may, a voter counts. */
        boolean restartable();

        /**
         * Has it end so that it is started again.
         *
         * @return what was stopped
         */
        List<String> restart();

        /** Stops it, and removes what {@link #start} has written; may be repeated. */
        void remove();
    }

    private final Machine machine;
    private final JoiningNode node;
    private final Runtime runtime;
    private final LocalEtcdProcess process;
    private final PeerCalls peers;
    private final MemberData data;

    public HostMember(
            Machine machine, JoiningNode node, Runtime runtime, PeerCalls peers, Reporter out) {
        this.machine = machine;
        this.node = node;
        this.runtime = runtime;
        this.process = new LocalEtcdProcess(
                machine.health(), runtime.metrics(), runtime::restart, machine.waiter(), out);
        this.peers = peers;
        this.data = new MemberData(machine.files(), node.dataDir());
    }

    @Override
    public LocalDataDir localDataDir() {
        return data.look();
    }

    @Override
    public LocalMemberHealth memberHealth() {
        if (!runtime.configured()) {
            return LocalMemberHealth.NONE;
        }
        process.observe();
        boolean alive = process.showsLife();
        return new LocalMemberHealth(
                alive,
                machine.files().treeBytes(node.dataDir()),
                machine.files()
                        .treeBytes(node.dataDir()
                                .resolve(KubernetesPaths.ETCD_MEMBER)
                                .resolve("snap")),
                alive ? Optional.empty() : runtime.cause());
    }

    @Override
    public Optional<StartProblem> startProblem() {
        return runtime.startProblem();
    }

    @Override
    public Map<MemberId, String> unreached(List<Member> voters) {
        return peers.unreached(voters, node.certificatesDir(), node.address());
    }

    @Override
    public boolean listens(Member member) {
        return peers.listens(member, node.certificatesDir(), node.address());
    }

    @Override
    public String notReadyReason() {
        return process.notReadyReason();
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        runtime.start(members, own);
    }

    @Override
    public String stopAndSetAside() {
        data.forget();
        runtime.remove();
        return new DataDirBackup(machine.files(), node.dataDir())
                .setAside("failed", machine.waiter().now())
                .toString();
    }

    @Override
    public void help(boolean announced) {
        if (runtime.restartable()) {
            process.restartIfStalled(announced);
        }
    }
}
