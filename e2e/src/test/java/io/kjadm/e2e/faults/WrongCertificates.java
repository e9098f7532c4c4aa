package io.kjadm.e2e.faults;

import static io.kjadm.e2e.faults.Scene.refused;

import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Node;

import java.util.List;

/**
 * etcd certificates that the new member could not be reached with, or could not reach others with.
 * The node brings them along, as an operator would who keeps an authority of his own.
 */
final class WrongCertificates {
    private static final String PKI = "/etc/kubernetes/pki/";
    private static final String ETCD = PKI + "etcd/";
    private static final List<String> SHARED = List.of(
            "ca.crt", "ca.key", "sa.key", "sa.pub", "front-proxy-ca.crt", "front-proxy-ca.key");

    private WrongCertificates() {}

    static List<FaultCase> cases() {
        return List.of(
                FaultCase.of(
                        "F55",
                        "another etcd authority on the new node",
                        WrongCertificates::otherAuthority),
                FaultCase.of(
                        "F56",
                        "the peer certificate has expired",
                        trial -> wrongPeer(
                                trial, "clientAuth,serverAuth", "IP:%s", true, "expired")),
                FaultCase.of(
                        "F57",
                        "the peer certificate is not for clients",
                        trial -> wrongPeer(trial, "serverAuth", "IP:%s", false, "client")),
                FaultCase.of(
                        "F58",
                        "the peer certificate lacks the node's address",
                        trial -> wrongPeer(
                                trial,
                                "clientAuth,serverAuth",
                                "IP:192.0.2.1",
                                false,
                                trial.node(2).address())));
    }

    private static void otherAuthority(Trial trial) {
        var node = trial.node(2);
        for (String file : SHARED) {
            node.write(PKI + file, trial.node(1).read(PKI + file));
        }
        node.shell("""
                mkdir -p %1$s && openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=etcd-ca -days 30 \\
                    -addext keyUsage=critical,keyCertSign,digitalSignature \\
                    -keyout %1$sca.key -out %1$sca.crt 2> /dev/null""".formatted(ETCD));
        var refused = trial.cluster().tryJoinWithCopiedCertificates(Tool.KJADM, node);
        Scene.failed(refused, "does not trust the cluster's etcd");
        System.out.println("[faults]   " + Scene.error(refused));
        trial.cluster().assertVoters(trial.node(1));
        startAnew(trial, node);
    }

    private static void wrongPeer(
            Trial trial, String usage, String names, boolean expired, String word) {
        var node = trial.node(2);
        for (String file : List.of("ca.crt", "ca.key")) {
            node.write(ETCD + file, trial.node(1).read(ETCD + file));
        }
        // with "ca" instead of "x509" the dates can be chosen
        node.shell("""
                cd %1$s && rm -rf /root/ca && mkdir /root/ca && touch /root/ca/index && echo 77 > /root/ca/serial
                printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=/root/ca/index\\nserial=/root/ca/serial\\n' > /root/ca/cnf
                printf 'new_certs_dir=/root/ca\\ndefault_md=sha256\\npolicy=p\\nx509_extensions=e\\n' >> /root/ca/cnf
                printf '[p]\\ncommonName=supplied\\n[e]\\nsubjectAltName=%2$s\\nextendedKeyUsage=%3$s\\n' >> /root/ca/cnf
                printf 'keyUsage=critical,digitalSignature,keyEncipherment\\n' >> /root/ca/cnf
                openssl req -newkey rsa:2048 -nodes -subj /CN=%4$s -keyout peer.key -out /root/ca/csr 2> /dev/null
                openssl ca -batch -config /root/ca/cnf -cert ca.crt -keyfile ca.key -in /root/ca/csr -out peer.crt \\
                    -notext -startdate 20240101000000Z -enddate %5$s""".formatted(
                        ETCD,
                        names.formatted(node.address()) + ",IP:127.0.0.1,IP:::1,DNS:localhost,DNS:"
                                + node.name(),
                        usage,
                        node.name(),
                        expired ? "20240102000000Z" : "20400101000000Z"));
        refused(trial, 2, List.of(), word);
        startAnew(trial, node);
    }

    /** The same node joins when the certificates are not in its way. */
    private static void startAnew(Trial trial, Node node) {
        trial.clean();
        node.wipe();
        Scene.joined(trial, 2);
        trial.assertJoined(1, 2);
    }
}
