package io.kjadm.core.standalone;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberFile;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.node.Machine;
import io.kjadm.etcd.EtcdAccess;

import java.net.URI;
import java.util.Collection;

/**
 * The machine as the phases of its etcd use it.
 *
 * @param clients makes clients of etcd
 */
record EtcdMachine(Machine machine, EtcdClients clients) {

    SystemdEtcd service(EtcdHostPaths paths) {
        return new SystemdEtcd(machine, paths);
    }

    EtcdAccess access(EtcdRun run, Collection<URI> endpoints) {
        return clients.to(endpoints, run.settings().directories().certificates());
    }

    /** Notes what is being made, unless a run has ended with it. */
    void remember(EtcdRun run) {
        MemberFile file = new MemberFile(machine.files(), run.paths());
        if (file.read().filter(run.record()::equals).isEmpty()) {
            // a reset that was killed when only this was left is not about the member to come
            machine.files().delete(run.paths().stateDir().resolve("reset.json"));
            file.write(run.record());
        }
    }

    /** Notes that the member serves. */
    void finished(EtcdRun run) {
        new MemberFile(machine.files(), run.paths()).write(run.record().asFinished());
        machine.files().deleteTree(run.paths().restoreDir());
    }
}
