package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.List;

class MemberIdsTest {

    /** These two are in many examples of etcd's documentation. */
    @Test
    void anEtcdStartedWithoutFlagsHasTheDocumentedIds() {
        MemberIds founded =
                MemberIds.ofFounder("etcd-cluster", List.of(URI.create("http://localhost:2380")));

        assertEquals(MemberId.parse("8e9e05c52164694d"), founded.memberId());
        assertEquals("cdf818194e3a8c32", founded.clusterId());
    }

    @Test
    void urlsCountInTheirOwnOrderAndAnotherTokenMakesAnotherCluster() {
        URI one = URI.create("https://10.0.0.1:2380");
        URI two = URI.create("https://cp-1:2380");

        assertEquals(
                MemberIds.ofFounder("t", List.of(one, two)),
                MemberIds.ofFounder("t", List.of(two, one)));
        assertNotEquals(
                MemberIds.ofFounder("t", List.of(one)).clusterId(),
                MemberIds.ofFounder("u", List.of(one)).clusterId());
    }
}
