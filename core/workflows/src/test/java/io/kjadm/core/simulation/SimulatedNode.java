package io.kjadm.core.simulation;

import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.staticpod.StaticPodShutdown;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.LocalDataDir;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.LocalMemberHealth;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A machine's side of a join; stopping the pod and setting its data aside are production's. */
record SimulatedNode(
        Host host, Program program, SimulatedClient.Play play, Waiter waiter, Reporter out)
        implements LocalMember {

    @Override
    public LocalDataDir localDataDir() {
        return host.data
                .map(id -> new LocalDataDir(
                        true, Optional.of(id), Optional.of(play.model().cluster())))
                .orElse(LocalDataDir.NONE);
    }

    @Override
    public LocalMemberHealth memberHealth() {
        return new LocalMemberHealth(host.up, host.lastIndex, 0, Optional.empty());
    }

    @Override
    public Optional<StartProblem> startProblem() {
        // a kubelet may die right after it was asked
        return Optional.empty();
    }

    @Override
    public Map<MemberId, String> unreached(List<Member> voters) {
        program.point();
        program.pass(1 + play.random().nextInt(300));
        return voters.stream()
                .flatMap(voter -> play.model().servers.stream()
                        .filter(server -> server.id.equals(voter.id()) && !finds(server)))
                .collect(Collectors.toMap(server -> server.id, server -> "connection refused"));
    }

    @Override
    public boolean listens(Member member) {
        program.point();
        program.pass(1 + play.random().nextInt(300));
        return play.model().servers.stream()
                .anyMatch(server -> server.id.equals(member.id()) && finds(server));
    }

    /** By its peer URL. */
    private boolean finds(ModelServer server) {
        return server.found() && play.model().reaches(host, server);
    }

    @Override
    public String notReadyReason() {
        return host.up ? "" : "connection refused";
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        boolean voterWithoutData = own.voter() && own.started() && host.data.isEmpty();
        if (voterWithoutData) {
            throw new Violation("a voter that lost its data is started: " + own.describe());
        }
        new HostDisk(host, program)
                .write(
                        Host.ETCD,
                        host.etcdPod(EtcdPods.initialCluster(members, own, host.name)),
                        FileMode.OWNER_ONLY);
        host.nextStart = play.world().now() + 1_000 + play.random().nextInt(5_000);
    }

    @Override
    public String stopAndSetAside() {
        HostDisk disk = new HostDisk(host, program);
        disk.delete(Host.ETCD);
        new StaticPodShutdown(
                        "etcd",
                        new Machine(
                                disk,
                                host.commands(program),
                                new HostRuntime(host, program, play.world()),
                                _ -> "",
                                waiter,
                                waiter),
                        out)
                .forget("unix:///run/c.sock", List.of("etcd"));
        return new DataDirBackup(disk, KubernetesPaths.ETCD_DATA_DIR)
                .setAside("failed", waiter.now())
                .toString();
    }

    @Override
    public void help(boolean announced) {
        // the model has no start race
    }
}
