//! Enums declared as a table of their values.

/// Declares an enum as a table: each variant with what the functions below the enum return for it, in their order.
///
/// ```
/// gemmscope_model::named! {
/// /// A tool.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// pub enum Tool {
///     /// A hammer.
///     Hammer = "hammer", 1;
///     /// A pair of tongs.
///     Tongs = "tongs", 2;
/// }
/// /// All tools.
/// pub const ALL;
/// /// Its name.
/// pub fn name -> &'static str;
/// /// How many parts it has.
/// pub fn parts -> u32;
/// }
/// assert_eq!(Tool::ALL.map(Tool::name), ["hammer", "tongs"]);
/// assert_eq!(Tool::Tongs.parts(), 2);
/// ```
#[macro_export]
macro_rules! named {
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident {
            $($(#[$of:meta])* $value:ident = $($given:expr),+;)+
        }
        $($functions:tt)+
    ) => {
        $(#[$about])*
        $vis enum $name {
            $($(#[$of])* $value),+
        }

        impl $name {
            $crate::named!(@ { $($value = $($given),+;)+ } $($functions)+);
        }
    };
    (@ { $($value:ident = ;)+ }) => {};
    (
        @ { $($value:ident = $($given:expr),*;)+ }
        $(#[$about:meta])* $vis:vis const $all:ident; $($functions:tt)*
    ) => {
        $(#[$about])*
        $vis const $all: [Self; [$(stringify!($value)),+].len()] = [$(Self::$value),+];

        $crate::named!(@ { $($value = $($given),*;)+ } $($functions)*);
    };
    (
        @ { $($value:ident = $given:expr $(, $more:expr)*;)+ }
        $(#[$about:meta])* $vis:vis fn $function:ident -> $type:ty; $($functions:tt)*
    ) => {
        $(#[$about])*
        $vis fn $function(self) -> $type {
            match self {
                $(Self::$value => $given,)+
            }
        }

        $crate::named!(@ { $($value = $($more),*;)+ } $($functions)*);
    };
}
