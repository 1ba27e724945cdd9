/** The token goes into the environment of the terminal, and not into its history. */
export const ENTER_TOKEN = `read -rs MANAGEMENT_TOKEN; export MANAGEMENT_TOKEN
export MANAGE=https://portal.example/manage/v1`;

/** A key for a job, and its end. */
export const CURL_MANAGE = `curl $MANAGE/projects -H "Authorization: Bearer $MANAGEMENT_TOKEN"
curl $MANAGE/projects/<project>/keys \\
  -H "Authorization: Bearer $MANAGEMENT_TOKEN" -H "Idempotency-Key: job-7" \\
  -H 'Content-Type: application/json' -d '{"name":"CI","expiresInDays":1}'
curl -X POST $MANAGE/projects/<project>/keys/<key id>/revoke \\
  -H "Authorization: Bearer $MANAGEMENT_TOKEN" -H 'Content-Type: application/json'`;

/** The units of each key. */
export const CURL_USAGE = `curl "$MANAGE/projects/<project>/usage?by=key&since=2026-11-01T00:00:00Z" \\
  -H "Authorization: Bearer $MANAGEMENT_TOKEN"`;

/** One call from TypeScript; \`examples/typescript/manage.ts\` is the whole program. */
export const TYPESCRIPT_MANAGE = `const answer = await fetch(\`\${MANAGE}/projects/\${projectId}/usage?by=key\`, {
  headers: { Authorization: \`Bearer \${process.env.MANAGEMENT_TOKEN}\` },
});
for (const { name, units } of (await answer.json()).keys) console.log(name, units);
`;

/** The same from Python; \`examples/python/manage.py\` is the whole program. */
export const PYTHON_MANAGE = `request = Request(
    f"{MANAGE}/projects/{project_id}/usage?by=key",
    headers={"Authorization": f"Bearer {os.environ['MANAGEMENT_TOKEN']}"},
)
for key in json.load(urlopen(request))["keys"]:
    print(key["name"], key["units"])
`;
