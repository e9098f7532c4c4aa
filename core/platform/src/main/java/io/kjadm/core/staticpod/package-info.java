/**
 * Static pods of this node: what their manifests say, where they are kept, how they are stopped, where
 * they respond.
 */
package io.kjadm.core.staticpod;
