package io.kjadm.core.config;

import java.util.List;

/**
 * What an operator adds to the API server's pod and certificate.
 *
 * @param component what may be added to other components' pods too
 * @param certSans more names and addresses for the serving certificate, in lower case
 */
public record ApiServer(ControlPlaneComponent component, List<String> certSans) {

    public static final ApiServer EMPTY = new ApiServer(ControlPlaneComponent.EMPTY, List.of());

    public ApiServer {
        certSans = List.copyOf(certSans);
    }
}
