/** The name that the certificate is for. */
export const CERTIFIED_NAME = 'hooks.example.com';

/** A certificate that nobody trusts but a test, valid from 2020 to 2120, and its key, which protects nothing. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBejCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFob29rcy5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAARXnDAauWmOEgxZkvyHDcdho3FJzD+Ayy9gzsftWkqkUnuJjqQjp6NeVteA
PHuJrE+4QqVL0HDQkSsZgzOnltAlo1AwTjAcBgNVHREEFTATghFob29rcy5leGFt
cGxlLmNvbTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSW0y0lGwAv8VxI2MIK
VWqjJHGktzAKBggqhkjOPQQDAgNJADBGAiEAueAtMWASGO9/cyKOpT/ReEIbOjI5
BSzL8tAR3gESIsYCIQCPfbTiETAyTxXBgKNcQpIYehKKqaQEpgXfJ8hbGkIumQ==
-----END CERTIFICATE-----
`;
export const CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgj7PBjOUGMxpK0R46
UQV1DsIv2rRpJneMP7OSo4r6ID6hRANCAARXnDAauWmOEgxZkvyHDcdho3FJzD+A
yy9gzsftWkqkUnuJjqQjp6NeVteAPHuJrE+4QqVL0HDQkSsZgzOnltAl
-----END PRIVATE KEY-----
`;
