package io.kjadm.core.standalone;

import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.UnitWatch;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.join.HostMember;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.StandaloneEtcd;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The service of a member that joins, which is always a learner first. */
final class MemberService implements HostMember.Runtime {

    private final EtcdRun run;
    private final SystemdEtcd service;
    private final UnitWatch watch;

    MemberService(EtcdRun run, SystemdEtcd service) {
        this.run = run;
        this.service = service;
        this.watch = service.watch();
    }

    @Override
    public URI metrics() {
        return service.metrics();
    }

    @Override
    public boolean configured() {
        return service.configured();
    }

    @Override
    public Optional<StartProblem> startProblem() {
        Path program = run.settings().directories().install().resolve("etcd");
        return service.machine().files().exists(program)
                ? Optional.empty()
                : Optional.of(new StartProblem(
                        new Problem(
                                "etcd is not installed on this machine",
                                "there is no " + program,
                                "run 'kjadm etcd join phase download'"),
                        false));
    }

    @Override
    public void start(List<Member> members, Member own) {
        watch.starts();
        service.start(
                run.settings(),
                new InitialCluster(
                        run.record().token(),
                        true,
                        EtcdPods.initialCluster(members, own, run.settings().name())));
    }

    @Override
    public Optional<StartProblem> cause() {
        return watch.cause();
    }

    @Override
    public boolean restartable() {
        return true;
    }

    @Override
    public List<String> restart() {
        service.restart();
        return List.of(StandaloneEtcd.UNIT);
    }

    @Override
    public void remove() {
        service.end();
        service.forget();
    }
}
