package io.kjadm.core.standalone;

import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.restore.RestoreSource;

import java.util.List;
import java.util.Optional;

/**
 * What is known during one {@code etcd init} or {@code etcd join}.
 *
 * @param record  the member that it makes
 * @param paths   where things are
 * @param options what only this run says
 * @param target  the cluster that is joined; empty where one is founded
 * @param resumes whether an earlier run began the same
 * @param snapshot that the data of the first member are made of
 */
public record EtcdRun(
        MemberRecord record,
        EtcdHostPaths paths,
        EtcdRunOptions options,
        Optional<JoinTarget> target,
        boolean resumes,
        Optional<RestoreSource> snapshot) {

    /** The phases that do no harm to a member that serves. */
    public static final List<String> REPEATABLE =
            List.of("certs", "health", "etcdctl", "instructions");

    /** The same with data of a snapshot. */
    public EtcdRun from(RestoreSource source) {
        return new EtcdRun(record, paths, options, target, resumes, Optional.of(source));
    }

    /** Whether the member was set up before. */
    public boolean settled() {
        return record.finished();
    }

    /** Whether the data of the member are on this machine before the run. */
    boolean existing() {
        return target.filter(JoinTarget::existing).isPresent();
    }

    MemberSettings settings() {
        return record.settings();
    }

    /** This machine as one that joins. */
    JoiningNode joiningNode() {
        return new JoiningNode(
                settings().directories().certificates(),
                settings().address(),
                settings().directories().data());
    }
}
