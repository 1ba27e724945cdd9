/**
 * A CloudFront Function for every path that is no file and not the API: it is a view of the app, and gets the page.
 * Error pages instead would also replace the API's 403 and 404.
 */
export const PAGE_REQUEST = `function handler(event) {
  var request = event.request;
  request.uri = '/index.html';
  return request;
}
`;
