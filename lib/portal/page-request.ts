/**
 * A CloudFront Function on what is no file and no API: every other path is a view of the app, which has an address of
 * its own. In place of error pages, which would take the API's 403 and 404 for missing files, too.
 */
export const PAGE_REQUEST = `function handler(event) {
  var request = event.request;
  request.uri = '/index.html';
  return request;
}
`;
