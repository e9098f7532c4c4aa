package io.kjadm.cli.kube;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.token.JoinCommandLine;
import io.kjadm.etcd.MemberIds;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a run is about, as far as it is known.
 *
 * @param nodeName     of this machine in the cluster
 * @param controlPlane whether the node has, or had, a part of the control plane
 * @param version      of Kubernetes that the node has if the run succeeds
 * @param from         the version before an upgrade
 * @param etcd         tells this node's member at the end of the run
 * @param joinCommands that were printed
 */
public record RunSubject(
        Optional<String> nodeName,
        Optional<Boolean> controlPlane,
        Optional<String> version,
        Optional<String> from,
        Supplier<Optional<MemberIds>> etcd,
        List<JoinCommands> joinCommands) {

    /** Nothing is known yet. */
    public static final RunSubject UNKNOWN = new RunSubject(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional::empty,
            List.of());

    /**
     * The commands that use one token.
     *
     * @param controlPlane missing where control-plane nodes cannot join
     */
    public record JoinCommands(String worker, Optional<String> controlPlane) {

        static JoinCommands of(JoinCommandLine line, boolean withControlPlane) {
            return new JoinCommands(
                    line.worker(),
                    withControlPlane ? Optional.of(line.controlPlane()) : Optional.empty());
        }

        @Override
        public String toString() {
            return "JoinCommands";
        }
    }

    public RunSubject {
        joinCommands = List.copyOf(joinCommands);
    }

    /** A node of a role that runs, or is to run, this version. */
    public static RunSubject node(String name, boolean controlPlane, Optional<String> version) {
        return new RunSubject(
                Optional.of(name).filter(known -> !known.isEmpty()),
                Optional.of(controlPlane),
                version,
                UNKNOWN.from,
                UNKNOWN.etcd,
                UNKNOWN.joinCommands);
    }

    /** The same, upgraded from another version. */
    public RunSubject upgradedFrom(String before) {
        return new RunSubject(
                nodeName, controlPlane, version, Optional.of(before), etcd, joinCommands);
    }

    /** The same with an etcd member, whose log tells its ID. */
    public RunSubject withEtcd(Supplier<Optional<MemberIds>> member) {
        return new RunSubject(nodeName, controlPlane, version, from, member, joinCommands);
    }

    /** The same with the commands by which others join. */
    public RunSubject withJoinCommands(List<JoinCommands> commands) {
        return new RunSubject(nodeName, controlPlane, version, from, etcd, commands);
    }

    /** The member whose data is in the directory of a stacked etcd now. */
    static Optional<MemberIds> member(HostFiles files, ClusterConfiguration cluster) {
        return cluster.etcd() instanceof LocalEtcd local
                ? member(files, local.dataDir())
                : Optional.empty();
    }

    /** The member whose data is in a directory now. */
    static Optional<MemberIds> member(HostFiles files, Path dataDir) {
        return new DataDirReader(files).idsIn(dataDir.resolve(KubernetesPaths.ETCD_MEMBER));
    }
}
