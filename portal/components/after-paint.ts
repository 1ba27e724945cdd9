/**
 * Calls back once the browser has drawn what there is now, so that a slow device answers a press before it begins with
 * what follows. Returns a function that cancels the call. In a hidden page it waits until the page is shown.
 */
export function afterPaint(callback: () => void): () => void {
  let task: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    task = setTimeout(callback);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(task);
  };
}
