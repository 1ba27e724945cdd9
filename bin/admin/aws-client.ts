/**
 * How the CLI's clients of AWS services wait: 3 s for a connection and 10 s for an answer, each attempt. The SDK's own
 * would wait for minutes.
 */
export const AWS_CLIENT = {
  requestHandler: {
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    // Without it the timeout only logs a warning.
    throwOnRequestTimeout: true,
  },
} as const;
