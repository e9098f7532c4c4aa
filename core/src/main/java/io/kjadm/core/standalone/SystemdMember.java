package io.kjadm.core.standalone;

import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.UnitWatch;
import io.kjadm.core.etcd.check.MemberData;
import io.kjadm.core.etcd.check.PeerCalls;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.join.LocalEtcdProcess;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.LocalDataDir;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.LocalMemberHealth;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** This machine's side of its etcd member: a service of systemd instead of a static pod. */
final class SystemdMember implements LocalMember {

    private final EtcdRun run;
    private final HostFiles files;
    private final Waiter waiter;
    private final SystemdEtcd service;
    private final LocalEtcdProcess process;
    private final UnitWatch watch;
    private final PeerCalls peers;
    private final MemberData data;

    SystemdMember(
            EtcdRun run,
            HostFiles files,
            Waiter waiter,
            SystemdEtcd service,
            LocalEtcdProcess process,
            UnitWatch watch,
            PeerCalls peers) {
        this.run = run;
        this.files = files;
        this.waiter = waiter;
        this.service = service;
        this.process = process;
        this.watch = watch;
        this.peers = peers;
        this.data = new MemberData(files, dataDir());
    }

    private Path dataDir() {
        return run.settings().directories().data();
    }

    @Override
    public LocalDataDir localDataDir() {
        return data.look();
    }

    @Override
    public LocalMemberHealth memberHealth() {
        if (!service.configured()) {
            return LocalMemberHealth.NONE;
        }
        process.observe();
        boolean alive = process.showsLife();
        return new LocalMemberHealth(
                alive,
                files.treeBytes(dataDir()),
                files.treeBytes(dataDir().resolve(KubernetesPaths.ETCD_MEMBER).resolve("snap")),
                alive ? Optional.empty() : watch.cause());
    }

    @Override
    public Optional<StartProblem> startProblem() {
        Path program = run.settings().directories().install().resolve("etcd");
        return files.exists(program)
                ? Optional.empty()
                : Optional.of(new StartProblem(
                        new Problem(
                                "etcd is not installed on this machine",
                                "there is no " + program,
                                "run 'kjadm etcd join phase download'"),
                        false));
    }

    @Override
    public Map<MemberId, String> unreached(List<Member> voters) {
        return peers.unreached(voters, run.certificatePaths(), run.settings().address());
    }

    @Override
    public boolean listens(Member member) {
        return peers.listens(member, run.certificatePaths(), run.settings().address());
    }

    @Override
    public String notReadyReason() {
        return process.notReadyReason();
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        watch.starts();
        service.start(
                run.settings(),
                new InitialCluster(
                        run.record().token(),
                        true,
                        EtcdPods.initialCluster(members, own, run.settings().name())));
    }

    @Override
    public String stopAndSetAside() {
        data.forget();
        service.end();
        service.forget();
        return new DataDirBackup(files, dataDir())
                .setAside("failed", waiter.now())
                .toString();
    }

    @Override
    public void help(boolean announced) {
        process.restartIfStalled(announced);
    }
}
