//! Converts values of a column into CSV cells: exact values, empty if missing.

use super::push_quoted;
use gemmscope_model::units::date;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::Result;
use parquet::schema::types::ColumnDescPtr;
use std::fmt::{Display, Write};

/// Kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Booleans, numbers, text: as stored.
    Plain,
    /// Unsigned integers.
    Unsigned,
    /// Integers with this number of decimal places.
    Decimal(usize),
    /// 16-bit floats.
    Half,
    /// Days since 1970.
    Date,
    /// Time since midnight, in units of 10^-n seconds.
    Time(u32),
    /// Time since 1970, in units of 10^-n seconds; true if in UTC.
    Timestamp(u32, bool),
}

/// Maximum number of decimal places: what fits into 16 bytes.
const MOST_PLACES: usize = 38;

/// Kind of the values of a flat column, or why they are not read.
pub(super) fn kind(about: &ColumnDescPtr) -> std::result::Result<Kind, &'static str> {
    let physical = about.physical_type();
    let noted = match about.logical_type_ref() {
        Some(logical) => of_logical(logical),
        None => of_converted(about),
    };
    match (physical, noted) {
        (Type::BYTE_ARRAY, Some(Kind::Plain)) => Ok(Kind::Plain),
        (_, Some(Kind::Decimal(scale))) if scale > MOST_PLACES => Err("decimal"),
        (Type::FIXED_LEN_BYTE_ARRAY, Some(Kind::Decimal(scale))) if about.type_length() <= 16 => {
            Ok(Kind::Decimal(scale))
        }
        (Type::FIXED_LEN_BYTE_ARRAY, Some(Kind::Half)) if about.type_length() == 2 => {
            Ok(Kind::Half)
        }
        (Type::INT96, _) => Err("INT96"),
        (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, _) => Err("binary"),
        (Type::INT32 | Type::INT64, Some(kind)) if kind != Kind::Half => Ok(kind),
        _ => Ok(Kind::Plain),
    }
}

fn places(unit: &TimeUnit) -> u32 {
    match unit {
        TimeUnit::MILLIS => 3,
        TimeUnit::MICROS => 6,
        TimeUnit::NANOS => 9,
    }
}

fn of_logical(logical: &LogicalType) -> Option<Kind> {
    Some(match logical {
        LogicalType::String | LogicalType::Enum | LogicalType::Json => Kind::Plain,
        LogicalType::Integer(about) if !about.is_signed => Kind::Unsigned,
        LogicalType::Decimal(about) => Kind::Decimal(usize::try_from(about.scale).ok()?),
        LogicalType::Float16 => Kind::Half,
        LogicalType::Date => Kind::Date,
        LogicalType::Time(about) => Kind::Time(places(&about.unit)),
        LogicalType::Timestamp(about) => {
            Kind::Timestamp(places(&about.unit), about.is_adjusted_to_u_t_c)
        }
        _ => return None,
    })
}

fn of_converted(about: &ColumnDescPtr) -> Option<Kind> {
    use ConvertedType as C;
    Some(match about.converted_type() {
        C::UTF8 | C::ENUM | C::JSON => Kind::Plain,
        C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64 => Kind::Unsigned,
        C::DECIMAL => Kind::Decimal(usize::try_from(about.type_scale()).ok()?),
        C::DATE => Kind::Date,
        C::TIME_MILLIS => Kind::Time(3),
        C::TIME_MICROS => Kind::Time(6),
        C::TIMESTAMP_MILLIS => Kind::Timestamp(3, true),
        C::TIMESTAMP_MICROS => Kind::Timestamp(6, true),
        _ => return None,
    })
}

/// Values of one column of a row group, some rows at a time.
pub(super) trait Cells {
    /// Decodes the next rows, and returns how many there were.
    fn load(&mut self, rows: usize) -> Result<usize>;
    /// Appends the cell of a loaded row; rows must ascend.
    fn push(&mut self, row: usize, text: &mut String);
}

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    kind: Kind,
    values: Vec<T::T>,
    /// Definition levels: 1 if there is a value; empty if there always is.
    levels: Vec<i16>,
    /// Index of the next value.
    at: usize,
    optional: bool,
}

impl<T: DataType> Cells for Typed<T>
where
    T::T: Value,
{
    fn load(&mut self, rows: usize) -> Result<usize> {
        self.values.clear();
        self.levels.clear();
        self.at = 0;
        let levels = self.optional.then_some(&mut self.levels);
        Ok(self.reader.read_records(rows, levels, None, &mut self.values)?.0)
    }

    fn push(&mut self, row: usize, text: &mut String) {
        if self.levels.get(row).is_none_or(|l| *l > 0) {
            if let Some(value) = self.values.get(self.at) {
                value.push(self.kind, text);
            }
            self.at += 1;
        }
    }
}

/// The values in these pages of a column.
pub(super) fn open(about: ColumnDescPtr, kind: Kind, pages: Box<dyn PageReader>) -> Box<dyn Cells> {
    fn typed<T: DataType>(
        about: ColumnDescPtr,
        kind: Kind,
        pages: Box<dyn PageReader>,
    ) -> Box<dyn Cells>
    where
        T::T: Value,
    {
        let optional = about.max_def_level() > 0;
        let reader = get_typed_column_reader::<T>(get_column_reader(about, pages));
        Box::new(Typed { reader, kind, values: Vec::new(), levels: Vec::new(), at: 0, optional })
    }
    match about.physical_type() {
        Type::BOOLEAN => typed::<BoolType>(about, kind, pages),
        Type::INT32 => typed::<Int32Type>(about, kind, pages),
        // No column of INT96 has a kind, so it never gets here.
        Type::INT64 | Type::INT96 => typed::<Int64Type>(about, kind, pages),
        Type::FLOAT => typed::<FloatType>(about, kind, pages),
        Type::DOUBLE => typed::<DoubleType>(about, kind, pages),
        Type::BYTE_ARRAY => typed::<ByteArrayType>(about, kind, pages),
        Type::FIXED_LEN_BYTE_ARRAY => typed::<FixedLenByteArrayType>(about, kind, pages),
    }
}

/// A value that can be written as a cell.
trait Value {
    fn push(&self, kind: Kind, text: &mut String);
}

/// Writing to a string cannot fail.
fn write(text: &mut String, what: impl Display) {
    let _ = write!(text, "{what}");
}

impl Value for bool {
    fn push(&self, _: Kind, text: &mut String) {
        write(text, self);
    }
}

impl Value for i32 {
    fn push(&self, kind: Kind, text: &mut String) {
        match kind {
            Kind::Unsigned => write(text, self.cast_unsigned()),
            _ => i64::from(*self).push(kind, text),
        }
    }
}

impl Value for i64 {
    fn push(&self, kind: Kind, text: &mut String) {
        match kind {
            Kind::Plain | Kind::Half => write(text, self),
            Kind::Unsigned => write(text, self.cast_unsigned()),
            Kind::Decimal(scale) => decimal(i128::from(*self), scale, text),
            Kind::Date => text.push_str(&date(*self)),
            Kind::Time(places) => time(*self, places, text),
            Kind::Timestamp(places, utc) => {
                let day = 86_400 * 10i64.pow(places);
                text.push_str(&date(self.div_euclid(day)));
                text.push('T');
                time(self.rem_euclid(day), places, text);
                if utc {
                    text.push('Z');
                }
            }
        }
    }
}

impl Value for f32 {
    fn push(&self, _: Kind, text: &mut String) {
        float(f64::from(*self), self, text);
    }
}

impl Value for f64 {
    fn push(&self, _: Kind, text: &mut String) {
        float(*self, self, text);
    }
}

impl Value for ByteArray {
    fn push(&self, kind: Kind, text: &mut String) {
        bytes(self.data(), kind, text);
    }
}

impl Value for FixedLenByteArray {
    fn push(&self, kind: Kind, text: &mut String) {
        bytes(self.data(), kind, text);
    }
}

fn bytes(data: &[u8], kind: Kind, text: &mut String) {
    match (kind, data) {
        (Kind::Decimal(scale), _) => decimal(unscaled(data), scale, text),
        (Kind::Half, [low, high]) => {
            let value = half(u16::from_le_bytes([*low, *high]));
            float(value, &value, text);
        }
        _ => push_quoted(text, &String::from_utf8_lossy(data)),
    }
}

/// Shortest representation of a float that is unique, with an exponent if far from 1.
fn float<T: Display + std::fmt::LowerExp>(value: f64, as_stored: &T, text: &mut String) {
    let size = value.abs();
    if value.is_finite() && size != 0.0 && !(1e-6..1e21).contains(&size) {
        write(text, format_args!("{as_stored:e}"));
    } else {
        write(text, as_stored);
    }
}

/// Value of a 16-bit float (IEEE 754 binary16).
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let size = match i32::from(bits >> 10 & 0x1f) {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// A big-endian two's complement integer of up to 16 bytes.
fn unscaled(data: &[u8]) -> i128 {
    let sign = if data.first().is_some_and(|b| *b >= 128) { -1i128 } else { 0 };
    data.iter().fold(sign, |n, byte| n << 8 | i128::from(*byte))
}

fn decimal(unscaled: i128, scale: usize, text: &mut String) {
    let digits = unscaled.unsigned_abs().to_string();
    if unscaled < 0 {
        text.push('-');
    }
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, places) = digits.split_at(digits.len() - scale);
    text.push_str(whole);
    if scale > 0 {
        text.push('.');
        text.push_str(places);
    }
}

/// Writes a time of day, in units of 10^-`places` seconds.
fn time(since_midnight: i64, places: u32, text: &mut String) {
    let second = 10i64.pow(places);
    let (seconds, part) = (since_midnight.div_euclid(second), since_midnight.rem_euclid(second));
    let (hours, minutes, seconds) =
        (seconds.div_euclid(3600), seconds.rem_euclid(3600) / 60, seconds.rem_euclid(60));
    let width = places as usize;
    write(text, format_args!("{hours:02}:{minutes:02}:{seconds:02}.{part:0width$}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: impl Value, kind: Kind) -> String {
        let mut text = String::new();
        value.push(kind, &mut text);
        text
    }

    #[test]
    fn values_are_written_exactly() {
        assert_eq!(written(-1, Kind::Unsigned), "4294967295");
        assert_eq!(written(i64::MIN, Kind::Plain), "-9223372036854775808");
        assert_eq!(written(-5, Kind::Decimal(3)), "-0.005");
        assert_eq!(written(12_345i64, Kind::Decimal(0)), "12345");
        assert_eq!(written(0.1f32, Kind::Plain), "0.1");
        assert_eq!(written(1e-7, Kind::Plain), "1e-7");
        assert_eq!(written(1.5e22, Kind::Plain), "1.5e22");
        assert_eq!((half(0x3c00), half(0xc000), half(1)), (1.0, -2.0, 2f64.powi(-24)));
        assert_eq!(unscaled(&[0xff, 0xfe]), -2);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        let day = |days: i32| written(days, Kind::Date);
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(-1), "1969-12-31");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(20_453), "2025-12-31");
        assert_eq!(written(-1i64, Kind::Timestamp(6, true)), "1969-12-31T23:59:59.999999Z");
    }
}
