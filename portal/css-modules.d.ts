/** Class names of a style sheet by the names that it gives them; esbuild makes them unique. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
declare module '*.css';
