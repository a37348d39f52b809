/**
 * Maximum bytes with four payment networks and a PUBLIC_URL of 64 characters. nginx answers 502 if the head of a response
 * exceeds its buffer, which has 4,096 bytes by default.
 */
export const headLimits = {
  /** Any response, from the status line to the blank line. */
  head: 3_500,
  /** The response to a refused payment. */
  refusedPayment: 3_800,
  /** The value of PAYMENT-REQUIRED. */
  offer: 2_800,
  /** The value of PAYMENT-SIGNATURE that the published clients send. */
  signature: 2_600,
} as const;

/** What differs between deployments. */
interface ProxyAddresses {
  name: string;
  /** Address or port to listen on. */
  listen: string;
  certificate: string;
  certificateKey: string;
  /** URL of the service. */
  service: string;
}

/** A `server` block for nginx: TLS, HTTP/2 and the client's address; everything else has nginx's default. */
export const nginxServer = ({ name, listen, certificate, certificateKey, service }: ProxyAddresses): string => `server {
  listen ${listen} ssl http2;
  server_name ${name};
  ssl_certificate ${certificate};
  ssl_certificate_key ${certificateKey};

  location / {
    proxy_pass ${service};
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  }
}`;

/** Limits of each client address: the first lines stand in the `http` block, the others in the `server` block. */
export const nginxLimits = `# http block
limit_conn_zone $binary_remote_addr zone=connections:10m;
limit_req_zone $binary_remote_addr zone=requests:10m rate=20r/s;
# server block
limit_conn connections 100;
limit_conn_status 429;
limit_req zone=requests burst=40 nodelay;
limit_req_status 429;
client_header_timeout 10s;
client_body_timeout 30s;
client_max_body_size 64k;`;

/** A site of Caddy, which obtains certificates and sets X-Forwarded-For by itself. */
export const caddySite = ({ name, service }: Pick<ProxyAddresses, 'name' | 'service'>): string => `${name} {
  reverse_proxy ${service}
}`;
