package io.kjadm.core.standalone;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** What an operator says who says nothing: no archive, no flags, a release server that is not there. */
final class PlainOptions {

    static final EtcdRunOptions NONE = new EtcdRunOptions(
            URI.create("https://releases.example"),
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false);

    private PlainOptions() {}
}
