// Generated from openapi.yaml by `npm run generate`; do not edit.
import type { GatewayContract } from './types.ts';

export const CONTRACT: GatewayContract = {
  "description": [
    "Stage PHASE 3B: the ping proves that an API key authenticates a real gateway request. No AI, routing or transit service is connected.",
    "**Errors** are RFC 9457 problems with a stable `code`; go by it. Of several reasons to refuse a request the first in rank is named: 401 and 403, 429 for the rate, 413, 415 (an empty body is a 400 before it), 400, replay or 409, 429 for the quota.",
    "**Limits.** A request is authenticated once its key is active and of the right mode and scope, in an active project. From there on every response, refusals and replays included, has the `X-RateLimit-*` headers and, where the project has a quota, the four `X-Service-Quota-*` headers.",
    "**Paths and methods** that are not listed here are answered with `NOT_FOUND` (404) and `METHOD_NOT_ALLOWED` (405), also an OPTIONS request to an unknown path: see `NotFound` and `MethodNotAllowed` under `components.responses`.",
    "**Browsers** may read responses from the allowed origins. The headers listed with the preflights are on every response, that of an unknown path included.",
    "**Before the gateway** API Gateway answers by itself when it throttles (429), when a body is over 10 MB (413) and when a function fails to start (5xx). These answers have neither the problem body nor the headers below. It may also rename `WWW-Authenticate` to `x-amzn-remapped-www-authenticate`.",
    "Clients ignore response members and headers that they do not know: new ones may come within v1."
  ],
  "authentication": "A test key with the scope `sandbox:invoke`, made in the portal and kept on a server. Never in a query string, a cookie, a body or browser storage. A revoked key is refused from the next request on.",
  "problem": [
    {
      "name": "type",
      "isRequired": true,
      "type": "uri",
      "description": ""
    },
    {
      "name": "title",
      "isRequired": true,
      "type": "string",
      "description": ""
    },
    {
      "name": "status",
      "isRequired": true,
      "type": "integer, 400 to 599",
      "description": ""
    },
    {
      "name": "detail",
      "isRequired": true,
      "type": "string",
      "description": "For a person to read; it may change. Never holds input."
    },
    {
      "name": "ok",
      "isRequired": true,
      "type": "false",
      "description": ""
    },
    {
      "name": "code",
      "isRequired": true,
      "type": "one of the codes",
      "description": ""
    },
    {
      "name": "requestId",
      "isRequired": true,
      "type": "uuid",
      "description": "Unique per request, also for a replay; never taken from input."
    }
  ],
  "unlisted": [
    {
      "status": 404,
      "description": "There is no such path.",
      "codes": [
        "NOT_FOUND"
      ]
    },
    {
      "status": 405,
      "description": "The path does not take this method.",
      "codes": [
        "METHOD_NOT_ALLOWED"
      ]
    }
  ],
  "operations": [
    {
      "operationId": "getHealth",
      "method": "GET",
      "path": "/api/v1/health",
      "summary": "Health check",
      "description": "Needs no authentication, counts toward no limit and uses no quota.",
      "parameters": [],
      "answers": [
        {
          "status": 200,
          "description": "The gateway answers.",
          "body": {
            "description": "",
            "members": [
              {
                "name": "ok",
                "isRequired": true,
                "type": "true",
                "description": ""
              },
              {
                "name": "service",
                "isRequired": true,
                "type": "\"sandbox-gateway\"",
                "description": ""
              },
              {
                "name": "status",
                "isRequired": true,
                "type": "\"available\"",
                "description": ""
              },
              {
                "name": "requestId",
                "isRequired": true,
                "type": "uuid",
                "description": "Unique per request, also for a replay; never taken from input."
              }
            ],
            "examples": [
              {
                "summary": "The gateway answers",
                "text": "{\n  \"ok\": true,\n  \"service\": \"sandbox-gateway\",\n  \"status\": \"available\",\n  \"requestId\": \"a44f89e6-2760-4a78-958c-786de2921d1b\"\n}"
              }
            ]
          }
        },
        {
          "status": 500,
          "description": "A defect. Report it with the `requestId`.",
          "codes": [
            "INTERNAL_ERROR"
          ]
        }
      ],
      "headers": [
        {
          "name": "X-Service-Request-Id",
          "description": "The `requestId` of the body.",
          "statuses": [
            200,
            500
          ]
        },
        {
          "name": "Cache-Control",
          "description": "No response may be cached.",
          "statuses": [
            200,
            500
          ]
        },
        {
          "name": "X-RateLimit-Limit",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-RateLimit-Remaining",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-RateLimit-Reset",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Limit",
          "description": "Units a period that the project may use; the four quota headers are absent where it has no quota.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Remaining",
          "description": "Units left in this period.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Reset",
          "description": "End of this period, in Unix epoch seconds.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Metric",
          "description": "What the quota counts.",
          "statuses": [
            500
          ]
        }
      ]
    },
    {
      "operationId": "preflightHealth",
      "method": "OPTIONS",
      "path": "/api/v1/health",
      "summary": "CORS preflight",
      "description": "",
      "parameters": [],
      "answers": [
        {
          "status": 204,
          "description": "The answer to a browser's preflight. The CORS headers, from `Vary` on, are on every response."
        },
        {
          "status": 500,
          "description": "A defect. Report it with the `requestId`.",
          "codes": [
            "INTERNAL_ERROR"
          ]
        }
      ],
      "headers": [
        {
          "name": "X-Service-Request-Id",
          "description": "The `requestId` of the body.",
          "statuses": [
            204,
            500
          ]
        },
        {
          "name": "Cache-Control",
          "description": "No response may be cached.",
          "statuses": [
            204,
            500
          ]
        },
        {
          "name": "Vary",
          "description": "",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Allow-Origin",
          "description": "The caller's origin when it is an allowed one, byte for byte; else absent.",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Allow-Methods",
          "description": "",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Allow-Headers",
          "description": "",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Expose-Headers",
          "description": "",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Max-Age",
          "description": "Seconds that a browser may keep a preflight's answer.",
          "statuses": [
            204
          ]
        },
        {
          "name": "X-RateLimit-Limit",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-RateLimit-Remaining",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-RateLimit-Reset",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Limit",
          "description": "Units a period that the project may use; the four quota headers are absent where it has no quota.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Remaining",
          "description": "Units left in this period.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Reset",
          "description": "End of this period, in Unix epoch seconds.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Metric",
          "description": "What the quota counts.",
          "statuses": [
            500
          ]
        }
      ]
    },
    {
      "operationId": "sendPing",
      "method": "POST",
      "path": "/api/v1/sandbox/ping",
      "summary": "Sandbox ping",
      "description": "Charges one request unit to the project of the key. With an `Idempotency-Key` it is safe to repeat: an identical request gets the stored response under a new `requestId`, with `X-Service-Idempotency-Replayed: true`, and charges nothing. Refusals charge nothing.",
      "scope": "sandbox:invoke",
      "parameters": [
        {
          "name": "Idempotency-Key",
          "isRequired": false,
          "type": "string, 1 to 255 characters",
          "description": "Makes a ping safe to repeat for 24 hours. It holds for the project, so a rotated key still replays. Another request under the same value is a 409. Only successes are stored."
        }
      ],
      "body": {
        "description": "At most 16 KiB (16384 bytes). An I-JSON object (RFC 7493): no member named twice, no number that double precision does not hold, valid Unicode; nested at most 32 deep. Other members are ignored.",
        "members": [
          {
            "name": "clientRequestId",
            "isRequired": false,
            "type": "string, at most 128 characters",
            "description": "Your own name for the request, stored in its usage event. Must not hold an API key."
          }
        ],
        "examples": [
          {
            "summary": "Nothing but a ping",
            "text": "{}"
          },
          {
            "summary": "With a name of your own",
            "text": "{\n  \"clientRequestId\": \"order-7\"\n}"
          }
        ]
      },
      "answers": [
        {
          "status": 200,
          "description": "The key authenticates. One unit was charged, none for a replay.",
          "body": {
            "description": "",
            "members": [
              {
                "name": "ok",
                "isRequired": true,
                "type": "true",
                "description": ""
              },
              {
                "name": "mode",
                "isRequired": true,
                "type": "\"sandbox\"",
                "description": ""
              },
              {
                "name": "message",
                "isRequired": true,
                "type": "\"Sandbox gateway is ready.\"",
                "description": ""
              },
              {
                "name": "requestId",
                "isRequired": true,
                "type": "uuid",
                "description": "Unique per request, also for a replay; never taken from input."
              }
            ],
            "examples": [
              {
                "summary": "The key authenticates",
                "text": "{\n  \"ok\": true,\n  \"mode\": \"sandbox\",\n  \"message\": \"Sandbox gateway is ready.\",\n  \"requestId\": \"a44f89e6-2760-4a78-958c-786de2921d1b\"\n}"
              }
            ]
          }
        },
        {
          "status": 400,
          "description": "The body or the Idempotency-Key is not valid; `detail` says what is wrong.",
          "codes": [
            "INVALID_REQUEST",
            "INVALID_IDEMPOTENCY_KEY"
          ]
        },
        {
          "status": 401,
          "description": "There is no usable API key.",
          "codes": [
            "MISSING_API_KEY",
            "INVALID_API_KEY",
            "API_KEY_REVOKED",
            "API_KEY_EXPIRED"
          ]
        },
        {
          "status": 403,
          "description": "The API key may not do this.",
          "codes": [
            "INSUFFICIENT_SCOPE",
            "KEY_MODE_MISMATCH",
            "PROJECT_SUSPENDED"
          ]
        },
        {
          "status": 409,
          "description": "The Idempotency-Key was used for a different request. Use a new one.",
          "codes": [
            "IDEMPOTENCY_CONFLICT"
          ]
        },
        {
          "status": 413,
          "description": "The body is over 16 KiB.",
          "codes": [
            "PAYLOAD_TOO_LARGE"
          ]
        },
        {
          "status": 415,
          "description": "The body is not `application/json`.",
          "codes": [
            "UNSUPPORTED_MEDIA_TYPE"
          ]
        },
        {
          "status": 429,
          "description": "The key has used up its minute, or the project its units. Wait for `Retry-After` seconds.",
          "codes": [
            "RATE_LIMIT_EXCEEDED",
            "QUOTA_EXCEEDED"
          ]
        },
        {
          "status": 500,
          "description": "A defect. Report it with the `requestId`.",
          "codes": [
            "INTERNAL_ERROR"
          ]
        },
        {
          "status": 503,
          "description": "The store is away. Repeat with the **same** Idempotency-Key after `Retry-After` seconds; without one the failed request may have been charged, and its repetition is charged too.",
          "codes": [
            "SERVICE_UNAVAILABLE"
          ]
        }
      ],
      "headers": [
        {
          "name": "X-Service-Request-Id",
          "description": "The `requestId` of the body.",
          "statuses": [
            200,
            400,
            401,
            403,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "Cache-Control",
          "description": "No response may be cached.",
          "statuses": [
            200,
            400,
            401,
            403,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "X-RateLimit-Limit",
          "description": "Requests a minute that the key may send.",
          "statuses": [
            200,
            400,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "X-RateLimit-Remaining",
          "description": "Requests left in this minute.",
          "statuses": [
            200,
            400,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "X-RateLimit-Reset",
          "description": "End of this minute, in Unix epoch seconds.",
          "statuses": [
            200,
            400,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "X-Service-Quota-Limit",
          "description": "Units a period that the project may use; the four quota headers are absent where it has no quota.",
          "statuses": [
            200,
            400,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "X-Service-Quota-Remaining",
          "description": "Units left in this period.",
          "statuses": [
            200,
            400,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "X-Service-Quota-Reset",
          "description": "End of this period, in Unix epoch seconds.",
          "statuses": [
            200,
            400,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "X-Service-Quota-Metric",
          "description": "What the quota counts.",
          "statuses": [
            200,
            400,
            409,
            413,
            415,
            429,
            500,
            503
          ]
        },
        {
          "name": "X-Service-Idempotency-Replayed",
          "description": "Present on a replay only.",
          "statuses": [
            200
          ]
        },
        {
          "name": "WWW-Authenticate",
          "description": "RFC 6750, without an error when no key was sent.",
          "statuses": [
            401,
            403
          ]
        },
        {
          "name": "Retry-After",
          "description": "Seconds to wait before the same request is sent again.",
          "statuses": [
            429,
            503
          ]
        }
      ]
    },
    {
      "operationId": "preflightPing",
      "method": "OPTIONS",
      "path": "/api/v1/sandbox/ping",
      "summary": "CORS preflight",
      "description": "",
      "parameters": [],
      "answers": [
        {
          "status": 204,
          "description": "The answer to a browser's preflight. The CORS headers, from `Vary` on, are on every response."
        },
        {
          "status": 500,
          "description": "A defect. Report it with the `requestId`.",
          "codes": [
            "INTERNAL_ERROR"
          ]
        }
      ],
      "headers": [
        {
          "name": "X-Service-Request-Id",
          "description": "The `requestId` of the body.",
          "statuses": [
            204,
            500
          ]
        },
        {
          "name": "Cache-Control",
          "description": "No response may be cached.",
          "statuses": [
            204,
            500
          ]
        },
        {
          "name": "Vary",
          "description": "",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Allow-Origin",
          "description": "The caller's origin when it is an allowed one, byte for byte; else absent.",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Allow-Methods",
          "description": "",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Allow-Headers",
          "description": "",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Expose-Headers",
          "description": "",
          "statuses": [
            204
          ]
        },
        {
          "name": "Access-Control-Max-Age",
          "description": "Seconds that a browser may keep a preflight's answer.",
          "statuses": [
            204
          ]
        },
        {
          "name": "X-RateLimit-Limit",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-RateLimit-Remaining",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-RateLimit-Reset",
          "description": "As in other responses; absent when the failure came before authentication.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Limit",
          "description": "Units a period that the project may use; the four quota headers are absent where it has no quota.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Remaining",
          "description": "Units left in this period.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Reset",
          "description": "End of this period, in Unix epoch seconds.",
          "statuses": [
            500
          ]
        },
        {
          "name": "X-Service-Quota-Metric",
          "description": "What the quota counts.",
          "statuses": [
            500
          ]
        }
      ]
    }
  ]
};
