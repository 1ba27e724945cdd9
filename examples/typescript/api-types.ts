// Generated from openapi.yaml.
export interface paths {
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health check
         * @description Needs no authentication, counts toward no limit and uses no quota.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        /** CORS preflight, the same for every path */
        options: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: components["responses"]["Preflight"];
                500: components["responses"]["InternalError"];
            };
        };
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sandbox/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sandbox ping
         * @description Charges one request unit to the project of the key. With an `Idempotency-Key` it is safe to repeat: an identical
         *     request gets the stored response under a new `requestId`, with `X-Service-Idempotency-Replayed: true`, and
         *     charges nothing. Refusals charge nothing.
         */
        post: operations["sendPing"];
        delete?: never;
        /** CORS preflight, the same for every path */
        options: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: components["responses"]["Preflight"];
                500: components["responses"]["InternalError"];
            };
        };
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Format: uuid
         * @description A UUID of version 7: unique per request, also for a replay, with the time of its receipt; never taken from input.
         * @example 01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d
         */
        RequestId: string;
        Count: number;
        /** Format: int64 */
        EpochSeconds: number;
        Health: {
            /** @constant */
            ok: true;
            /** @constant */
            service: "sandbox-gateway";
            /** @constant */
            status: "available";
            requestId: components["schemas"]["RequestId"];
        };
        /**
         * @description An I-JSON object (RFC 7493): no member named twice, no number that double precision does not hold, valid
         *     Unicode; nested at most 32 deep. Other members are ignored.
         */
        PingRequest: {
            /** @description Your own name for the request, stored in its usage event. Must not hold an API key. */
            clientRequestId?: string;
            /**
             * @description Makes the answer that code, without executing or charging anything. `ANSWER_LOST` executes and charges the
             *     request, stores its answer as ever, and answers 503: the same again under its Idempotency-Key is replayed.
             * @enum {unknown}
             */
            simulate?: "API_KEY_REVOKED" | "API_KEY_EXPIRED" | "INSUFFICIENT_SCOPE" | "PROJECT_SUSPENDED" | "RATE_LIMIT_EXCEEDED" | "IDEMPOTENCY_CONFLICT" | "QUOTA_EXCEEDED" | "KEY_QUOTA_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | "ANSWER_LOST";
        };
        Ping: {
            /** @constant */
            ok: true;
            /** @constant */
            mode: "sandbox";
            /** @constant */
            message: "Sandbox gateway is ready.";
            requestId: components["schemas"]["RequestId"];
        };
        /** @description RFC 9457, with `ok`, `code` and `requestId`. */
        Problem: {
            /** Format: uri */
            type: string;
            title: string;
            status: number;
            /** @description For a person to read; it may change. Never holds input. */
            detail: string;
            /** @constant */
            ok: false;
            code: components["schemas"]["ErrorCode"];
            requestId: components["schemas"]["RequestId"];
        };
        /** @enum {string} */
        ErrorCode: "INVALID_REQUEST" | "INVALID_IDEMPOTENCY_KEY" | "MISSING_API_KEY" | "INVALID_API_KEY" | "API_KEY_REVOKED" | "API_KEY_EXPIRED" | "INSUFFICIENT_SCOPE" | "KEY_MODE_MISMATCH" | "PROJECT_SUSPENDED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "IDEMPOTENCY_CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMIT_EXCEEDED" | "QUOTA_EXCEEDED" | "KEY_QUOTA_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    };
    responses: {
        /** @description The gateway answers. */
        Health: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Health"];
            };
        };
        /** @description The answer to a browser's preflight. The CORS headers, from `Vary` on, are on every response. */
        Preflight: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                Vary: components["headers"]["Vary"];
                "Access-Control-Allow-Origin": components["headers"]["AllowedOrigin"];
                "Access-Control-Allow-Methods": components["headers"]["AllowedMethods"];
                "Access-Control-Allow-Headers": components["headers"]["AllowedHeaders"];
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                "Access-Control-Max-Age": components["headers"]["PreflightMaxAge"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The key authenticates. One unit was charged, none for a replay. */
        Ping: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-RateLimit-Limit": components["headers"]["RateLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateReset"];
                "X-Service-Quota-Limit": components["headers"]["QuotaLimit"];
                "X-Service-Quota-Remaining": components["headers"]["QuotaRemaining"];
                "X-Service-Quota-Reset": components["headers"]["QuotaReset"];
                "X-Service-Quota-Metric": components["headers"]["QuotaMetric"];
                "RateLimit-Policy": components["headers"]["LimitPolicies"];
                RateLimit: components["headers"]["LimitsLeft"];
                "X-Service-Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Ping"];
            };
        };
        /** @description The body or the Idempotency-Key is not valid; `detail` says what is wrong. */
        BadRequest: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                Link: components["headers"]["Help"];
                "X-RateLimit-Limit": components["headers"]["RateLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateReset"];
                "X-Service-Quota-Limit": components["headers"]["QuotaLimit"];
                "X-Service-Quota-Remaining": components["headers"]["QuotaRemaining"];
                "X-Service-Quota-Reset": components["headers"]["QuotaReset"];
                "X-Service-Quota-Metric": components["headers"]["QuotaMetric"];
                "RateLimit-Policy": components["headers"]["LimitPolicies"];
                RateLimit: components["headers"]["LimitsLeft"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no usable API key. */
        Unauthorized: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Service-Simulated": components["headers"]["Simulated"];
                Link: components["headers"]["Help"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The API key may not do this. */
        Forbidden: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Service-Simulated": components["headers"]["Simulated"];
                Link: components["headers"]["Help"];
                "WWW-Authenticate": components["headers"]["ScopeChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such path. */
        NotFound: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                Link: components["headers"]["Help"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The path does not take this method. */
        MethodNotAllowed: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                Link: components["headers"]["Help"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The Idempotency-Key was used for a different request. Use a new one. */
        Conflict: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Service-Simulated": components["headers"]["Simulated"];
                Link: components["headers"]["Help"];
                "X-RateLimit-Limit": components["headers"]["RateLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateReset"];
                "X-Service-Quota-Limit": components["headers"]["QuotaLimit"];
                "X-Service-Quota-Remaining": components["headers"]["QuotaRemaining"];
                "X-Service-Quota-Reset": components["headers"]["QuotaReset"];
                "X-Service-Quota-Metric": components["headers"]["QuotaMetric"];
                "RateLimit-Policy": components["headers"]["LimitPolicies"];
                RateLimit: components["headers"]["LimitsLeft"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is over 16 KiB. */
        PayloadTooLarge: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                Link: components["headers"]["Help"];
                "X-RateLimit-Limit": components["headers"]["RateLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateReset"];
                "X-Service-Quota-Limit": components["headers"]["QuotaLimit"];
                "X-Service-Quota-Remaining": components["headers"]["QuotaRemaining"];
                "X-Service-Quota-Reset": components["headers"]["QuotaReset"];
                "X-Service-Quota-Metric": components["headers"]["QuotaMetric"];
                "RateLimit-Policy": components["headers"]["LimitPolicies"];
                RateLimit: components["headers"]["LimitsLeft"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not `application/json`. */
        UnsupportedMediaType: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                Link: components["headers"]["Help"];
                "X-RateLimit-Limit": components["headers"]["RateLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateReset"];
                "X-Service-Quota-Limit": components["headers"]["QuotaLimit"];
                "X-Service-Quota-Remaining": components["headers"]["QuotaRemaining"];
                "X-Service-Quota-Reset": components["headers"]["QuotaReset"];
                "X-Service-Quota-Metric": components["headers"]["QuotaMetric"];
                "RateLimit-Policy": components["headers"]["LimitPolicies"];
                RateLimit: components["headers"]["LimitsLeft"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key has used up its minute, or the project its units. Wait for `Retry-After` seconds. */
        TooManyRequests: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Service-Simulated": components["headers"]["Simulated"];
                Link: components["headers"]["Help"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-RateLimit-Limit": components["headers"]["RateLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateReset"];
                "X-Service-Quota-Limit": components["headers"]["QuotaLimit"];
                "X-Service-Quota-Remaining": components["headers"]["QuotaRemaining"];
                "X-Service-Quota-Reset": components["headers"]["QuotaReset"];
                "X-Service-Quota-Metric": components["headers"]["QuotaMetric"];
                "RateLimit-Policy": components["headers"]["RefusingPolicy"];
                RateLimit: components["headers"]["RefusingLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A defect. Report it with the `requestId`. */
        InternalError: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Service-Simulated": components["headers"]["Simulated"];
                Link: components["headers"]["Help"];
                "X-RateLimit-Limit": components["headers"]["RateLimitIfKnown"];
                "X-RateLimit-Remaining": components["headers"]["RateRemainingIfKnown"];
                "X-RateLimit-Reset": components["headers"]["RateResetIfKnown"];
                "X-Service-Quota-Limit": components["headers"]["QuotaLimit"];
                "X-Service-Quota-Remaining": components["headers"]["QuotaRemaining"];
                "X-Service-Quota-Reset": components["headers"]["QuotaReset"];
                "X-Service-Quota-Metric": components["headers"]["QuotaMetric"];
                "RateLimit-Policy": components["headers"]["LimitPoliciesIfKnown"];
                RateLimit: components["headers"]["LimitsLeftIfKnown"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The store is away. Repeat with the **same** Idempotency-Key after `Retry-After` seconds; without one the failed request
         *     may have been charged, and its repetition is charged too.
         */
        ServiceUnavailable: {
            headers: {
                "X-Service-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Service-Simulated": components["headers"]["Simulated"];
                Link: components["headers"]["Help"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-RateLimit-Limit": components["headers"]["RateLimitIfKnown"];
                "X-RateLimit-Remaining": components["headers"]["RateRemainingIfKnown"];
                "X-RateLimit-Reset": components["headers"]["RateResetIfKnown"];
                "X-Service-Quota-Limit": components["headers"]["QuotaLimit"];
                "X-Service-Quota-Remaining": components["headers"]["QuotaRemaining"];
                "X-Service-Quota-Reset": components["headers"]["QuotaReset"];
                "X-Service-Quota-Metric": components["headers"]["QuotaMetric"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description Makes a request safe to repeat for 24 hours. It holds for the project, so a rotated key still replays. Another
         *     request under the same value is a 409. Only successes are stored.
         * @example order-7
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description The `requestId` of the body. */
        RequestId: components["schemas"]["RequestId"];
        /** @description No response may be cached. */
        CacheControl: "no-store";
        /** @description Requests a minute that the key may send. */
        RateLimit: components["schemas"]["Count"];
        /** @description Requests left in this minute. */
        RateRemaining: components["schemas"]["Count"];
        /** @description End of this minute, in Unix epoch seconds. */
        RateReset: components["schemas"]["EpochSeconds"];
        /** @description As in other responses; absent when the failure came before authentication. */
        RateLimitIfKnown: components["schemas"]["Count"];
        /** @description As in other responses; absent when the failure came before authentication. */
        RateRemainingIfKnown: components["schemas"]["Count"];
        /** @description As in other responses; absent when the failure came before authentication. */
        RateResetIfKnown: components["schemas"]["EpochSeconds"];
        /** @description Units a period that the project may use, or the key where less of its own limit is left; the four quota headers are absent where neither is limited. */
        QuotaLimit: components["schemas"]["Count"];
        /** @description Units of that limit left in this period. */
        QuotaRemaining: components["schemas"]["Count"];
        /** @description End of this period, in Unix epoch seconds. */
        QuotaReset: components["schemas"]["EpochSeconds"];
        /** @description What the quota counts. */
        QuotaMetric: "request_units";
        /**
         * @description Of a draft: the limits, `q` requests in `w` seconds or `q` units a period, of the project (`quota`) and of the key (`key-quota`). On a 429 only the one that refused.
         * @example "minute";q=60;w=60, "quota";q=10000
         */
        LimitPolicies: string;
        /**
         * @description Of a draft: what is left of each, `r` for `t` seconds. On a 429 only of the one that refused; `Retry-After` is not shorter than its `t`.
         * @example "minute";r=59;t=31, "quota";r=9987;t=912345
         */
        LimitsLeft: string;
        /**
         * @description Of a draft: the limit that refused. Absent when a limit is rehearsed that is not enforced.
         * @example "quota";q=10000
         */
        RefusingPolicy: string;
        /**
         * @description Of a draft: when it ends, in `t` seconds; `Retry-After` is not shorter. Absent as its policy.
         * @example "quota";r=0;t=912345
         */
        RefusingLimit: string;
        /** @description As in other responses; absent when the failure came before authentication. */
        LimitPoliciesIfKnown: string;
        /** @description As in other responses; absent when the failure came before authentication. */
        LimitsLeftIfKnown: string;
        /** @description Present on a replay only. */
        IdempotencyReplayed: "true";
        /** @description The request asked for this answer with `simulate`; absent from every other one. */
        Simulated: "true";
        /** @description Seconds to wait before the same request is sent again. */
        RetryAfter: number;
        /** @description RFC 6750, without an error when no key was sent. */
        Challenge: "Bearer realm=\"sandbox-gateway\"" | "Bearer realm=\"sandbox-gateway\", error=\"invalid_token\"";
        /** @description RFC 6750, with `INSUFFICIENT_SCOPE` only. */
        ScopeChallenge: "Bearer realm=\"sandbox-gateway\", error=\"insufficient_scope\", scope=\"sandbox:invoke\"";
        /**
         * @description What the code means and what to do, in the portal; absent where the stage knows none.
         * @example <https://portal.example/docs/errors#QUOTA_EXCEEDED>; rel="help"
         */
        Help: string;
        /** @description The methods that the path takes. */
        Allow: "GET, OPTIONS" | "POST, OPTIONS";
        Vary: "Origin";
        /** @description The caller's origin when it is an allowed one, byte for byte; else absent. */
        AllowedOrigin: string;
        AllowedMethods: "GET, POST, OPTIONS";
        AllowedHeaders: "Authorization, Content-Type, Idempotency-Key";
        ExposedHeaders: "X-Service-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Service-Quota-Limit, X-Service-Quota-Remaining, X-Service-Quota-Reset, X-Service-Quota-Metric, RateLimit-Policy, RateLimit, X-Service-Idempotency-Replayed, X-Service-Simulated, Retry-After, WWW-Authenticate, Link";
        /** @description Seconds that a browser may keep a preflight's answer. */
        PreflightMaxAge: 600;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Health"];
            500: components["responses"]["InternalError"];
        };
    };
    sendPing: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a request safe to repeat for 24 hours. It holds for the project, so a rotated key still replays. Another
                 *     request under the same value is a 409. Only successes are stored.
                 * @example order-7
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 16 KiB (16384 bytes). */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PingRequest"];
            };
        };
        responses: {
            200: components["responses"]["Ping"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
