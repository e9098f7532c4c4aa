package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.util.List;

class EtcdErrorsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DONE        | FAILED_PRECONDITION | etcdserver: can only promote a learner member",
                "WAIT        | FAILED_PRECONDITION | etcdserver: can only promote a learner member which is in sync with leader",
                "DONE        | FAILED_PRECONDITION | etcdserver: Peer URLs already exists",
                "DONE        | NOT_FOUND           | etcdserver: member not found",
                "WAIT        | FAILED_PRECONDITION | etcdserver: too many learner members in cluster",
                "WAIT        | UNAVAILABLE         | etcdserver: unhealthy cluster",
                "TRANSIENT   | UNAVAILABLE         | etcdserver: no leader",
                "TRANSIENT   | UNAVAILABLE         | etcdserver: rpc not supported for learner",
                "TRANSIENT   | FAILED_PRECONDITION | etcdserver: rpc not supported for learner",
                "TRANSIENT   | UNKNOWN             | etcdserver: too many requests",
                "AMBIGUOUS   | UNAVAILABLE         | etcdserver: leader changed",
                "AMBIGUOUS   | UNAVAILABLE         | etcdserver: request timed out",
                "AMBIGUOUS   | UNAVAILABLE         | etcdserver: request timed out, possibly due to connection lost",
                "AMBIGUOUS   | UNAVAILABLE         | io exception",
                "AMBIGUOUS   | DEADLINE_EXCEEDED   | deadline exceeded after 10s",
                "NEEDS_HUMAN | UNKNOWN             | etcdserver: re-configuration failed due to not enough started members",
                "NEEDS_HUMAN | RESOURCE_EXHAUSTED  | etcdserver: mvcc: database space exceeded",
                "NEEDS_HUMAN | DATA_LOSS           | etcdserver: corrupt cluster",
                "FATAL       | FAILED_PRECONDITION | etcdserver: member ID already exist",
                "FATAL       | FAILED_PRECONDITION | etcdserver: can only promote a learner",
                "FATAL       | PERMISSION_DENIED   | etcdserver: permission denied",
                "FATAL       | UNIMPLEMENTED       | unknown method MemberPromote for service etcdserverpb.Cluster",
            })
    void changeIsClassedByItsWholeText(ErrorClass expected, RpcCode code, String text) {
        assertEquals(expected, EtcdErrors.classify(RpcKind.CHANGE, code, text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UNAVAILABLE       | etcdserver: leader changed",
                "DEADLINE_EXCEEDED | deadline exceeded after 3s",
                "UNAVAILABLE       | io exception",
            })
    void readThatFailedChangedNothing(RpcCode code, String text) {
        assertEquals(ErrorClass.TRANSIENT, EtcdErrors.classify(RpcKind.READ, code, text));
    }

    @Test
    void accessNeverShowsItsKey() {
        var access = new EtcdAccess(
                List.of(URI.create("https://10.0.0.1:2379")), "ca", "cert", "SECRET");
        assertEquals("EtcdAccess[https://10.0.0.1:2379]", access.toString());
    }
}
