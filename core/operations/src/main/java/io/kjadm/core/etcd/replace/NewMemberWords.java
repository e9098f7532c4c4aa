package io.kjadm.core.etcd.replace;

import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.join.NewMember;

import java.net.URI;
import java.util.List;
import java.util.stream.Stream;

/** A new member as an operator types it. */
public final class NewMemberWords {

    private NewMemberWords() {}

    /**
     * Reads name and peer URLs.
     *
     * @param peerUrls one or several, each of them again one or several between commas
     * @throws UsageException if they are none
     */
    public static NewMember parse(String name, String... peerUrls) {
        if (name.isBlank() || name.contains("=") || name.contains(",")) {
            throw new UsageException(
                    "\"%s\" is not a valid name for an etcd member".formatted(name),
                    "",
                    "use the host name of its machine");
        }
        List<URI> urls = Stream.of(peerUrls)
                .flatMap(word -> Stream.of(word.split(",", -1)))
                .map(NewMemberWords::url)
                .distinct()
                .toList();
        return NewMember.elsewhere(name.strip(), urls);
    }

    private static URI url(String peerUrl) {
        try {
            URI url = URI.create(peerUrl.strip());
            boolean known = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
            if (known && url.getHost() != null && url.getPath().isEmpty()) {
                return EtcdUrls.canonical(url, EtcdPorts.PEER);
            }
        } catch (IllegalArgumentException e) {
            // the same answer as for every other text that is no such URL
        }
        throw new UsageException(
                "\"%s\" is not a peer URL".formatted(peerUrl),
                "a peer URL is where other members reach it, such as https://10.0.0.4:2380",
                "specify the new member's");
    }
}
